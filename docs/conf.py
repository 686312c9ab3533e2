"""The documentation site: ``make docs`` builds it, with every warning an error.

The pages are the Markdown files beside this one, which read well on their own. What is added on
the way to the site is made by the short modules in ``_extensions``.
"""

import sys
from pathlib import Path

import popout

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "popout"
author = "the popout developers"
version = release = popout.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "contents",
    "formulas",
    "gallery",
    "notebook_pages",
    "reference",
]
exclude_patterns = ["pictures"]
language = "en"  # the translation en_GB of Sphinx breaks its search
nitpicky = True
# Words in single backticks are linked where they are public names, and else are code.
default_role = "py:obj"
nitpick_ignore_regex = [("py:obj", ".*")]
highlight_language = "text"

# What is copied runs: no prompts, no output.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

autodoc_typehints = "none"  # the docstrings name the types, with shapes
autosummary_generate = False
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "popout"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_context = {"default_mode": "auto"}
html_favicon = "../web/pages/icon.svg"
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "popout"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "gallery": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copyright = "the popout developers, MIT licence"
