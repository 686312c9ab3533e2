"""A browser, a server with the explorer and one with an experiment, for the tests of this folder.

Where something is missing the tests are skipped with a line that says what; in CI that is a fault.
"""

import os

import pytest

from . import visitor

# Programs, and what they share with the tests.
collect_ignore = ["screenshots.py", "visitor.py"]


@pytest.fixture(scope="session", autouse=True)
def all_there():
    """Skip the tests of this folder where something is missing; in CI they fail."""
    reason = visitor.why_not()
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture(scope="session")
def browser():
    """Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=visitor.chromium(), args=visitor.FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def explorer(tmp_path_factory):
    """A server without an experiment, its workers ready."""
    server = visitor.OwnServer(tmp_path_factory.mktemp("explorer"))
    try:
        server.start()
        server.ready()
        yield server
    finally:
        server.stop()


@pytest.fixture
def laboratory(tmp_path):
    """A function that starts a server with an experiment of a number of trials a block."""
    servers = []

    def started(trials=6, more="", **settings):
        experiment = visitor.write_experiment(tmp_path, trials, more)
        servers.append(visitor.OwnServer(tmp_path, experiment, workers=0, **settings))
        servers[-1].start()
        return servers[-1]

    yield started
    for server in servers:
        server.stop()


@pytest.fixture
def visit(browser):
    """A function that opens a page; what went wrong in it fails the test at the end."""
    opened = []

    def visit(server, size="laptop", **settings):
        width, height = visitor.SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        opened.append(visitor.Visit(context, server.address))
        return opened[-1]

    yield visit
    faults = [fault for tab in opened for fault in tab.faults]
    for tab in opened:
        tab.context.close()
    assert not faults


@pytest.fixture
def explore(explorer, visit):
    """A function that opens the explorer at an address and waits until every plot is there."""

    def explore(address, **settings):
        tab = visit(explorer, **settings)
        tab.open(address)
        tab.settled()
        return tab

    return explore
