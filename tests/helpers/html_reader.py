"""HTML as a browser reads it: tags that close in order, their attributes, and the text."""

from html.parser import HTMLParser

VOID = {"meta", "img", "link", "br", "hr", "input"}


class Reader(HTMLParser):
    """Keeps tags with their attributes, and texts; a tag that does not match is an error."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def named(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]
