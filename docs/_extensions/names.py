"""Public names that stand as code in a Markdown page lead to their page in the reference."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import popout

NAME = re.compile(r"^(?:po\.|popout\.)?([A-Za-z_]+)(?:\(.*\))?$", re.DOTALL)


class LinkNames(SphinxPostTransform):
    """Turn ``po.solve(...)`` and ``Solution`` into links, but not within links and headings."""

    default_priority = 200
    formats = ("html",)

    def run(self):
        """Transform one page."""
        page = self.env.docname
        if not str(self.env.doc2path(page)).endswith(".md"):
            return
        for code in list(self.document.findall(nodes.literal)):
            match = NAME.match(code.astext())
            if not match or match[1] not in popout._MODULE_OF or match[1].startswith("_"):
                continue
            if isinstance(code.parent, nodes.reference | nodes.title):
                continue
            # `solve` alone may be a command or a key: a function needs its prefix or a call.
            if match[0] == match[1] and match[1].islower():
                continue
            target = self.app.builder.get_relative_uri(page, f"reference/popout.{match[1]}")
            link = nodes.reference("", "", code.deepcopy(), refuri=target, internal=True)
            code.replace_self(link)


def setup(app):
    """Register with Sphinx."""
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
