"""The pages of the browser side, built while the package is: a hook of hatchling.

From a clone, npm builds them out of ``web/`` unless they are there already and no older than their
sources. Without npm, or where it fails, a wheel is built without them, and `popout serve` says what
to do. An sdist is refused without its pages, so that a wheel made of it needs no Node.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DOCS = ("../docs/explorer.md", "../docs/glossary.md")  # the glossary is made of these
SOURCES = ("build.mjs", "package.json", "package-lock.json", "pages", "src", "styles", *DOCS)
LAST = "src/popout/web/static/licences.txt"  # of the files that web/build.mjs writes


class PagesHook(BuildHookInterface):
    """Builds the pages where they are missing or old."""

    def initialize(self, version, build_data):
        """Build them, if that is needed and possible."""
        web, last = Path(self.root, "web"), Path(self.root, LAST)
        if web.is_dir() and not is_newer(last, web):
            npm = shutil.which("npm")
            if npm is None:
                self.app.display_warning("the pages are not built: Node (npm) is not installed")
            elif not build(npm, web):
                self.app.display_warning("the pages are not built: npm failed")
        if self.target_name == "sdist" and not last.is_file():
            sys.exit("an sdist needs the pages; install Node 20 or newer (npm)")


def is_newer(made, web):
    """Return whether the pages are there and none of their sources has changed since."""
    if not made.is_file():
        return False
    tops = [web / name for name in SOURCES]
    files = [file for top in tops for file in (top, *top.rglob("*")) if file.is_file()]
    return made.stat().st_mtime >= max(file.stat().st_mtime for file in files)


def build(npm, web):
    """Install the libraries of the pages and bundle them; return whether that went well."""
    return all(
        subprocess.run([npm, *words], cwd=web, check=False).returncode == 0
        for words in (["ci"], ["run", "build"])
    )
