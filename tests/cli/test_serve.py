"""``popout serve`` without what it needs says what to install; the rest is in tests/web."""

import sys

import pytest
from click.testing import CliRunner

from popout.cli import group, serve


@pytest.mark.parametrize("missing", serve.NEEDED)
def test_without_the_extra_it_says_what_to_install(monkeypatch, missing):
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == missing else sys)
    result = CliRunner().invoke(group.main, ["serve"])
    assert result.exit_code == 2
    assert f"no {missing}" in result.stderr
    assert "pip install popout[web]" in result.stderr
