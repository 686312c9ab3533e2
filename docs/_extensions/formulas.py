"""Formulas as MathML, written when the site is built: no script, no font, no other host."""

from docutils import nodes
from docutils.utils.math import latex2mathml, wrap_math_code


def markup(formula, block):
    """Return a formula in LaTeX as a MathML element."""
    inner = formula.replace(r"\dots", r"\ldots")  # the converter knows only the exact command
    if block and "\\\\" in formula:  # lines that are to stand one below the other
        inner = wrap_math_code(formula, as_block=True)
    return latex2mathml.tex2mathml(inner, as_block=block)


def visit_inline(self, node):
    """Write a formula within a line."""
    self.body.append(markup(node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(self, node):
    """Write a formula on lines of its own; where it is too wide, it can be scrolled by the keys."""
    formula = markup(node.astext(), block=True)
    self.body.append(f'<div class="formula" tabindex="0" role="group">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Register with Sphinx."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
