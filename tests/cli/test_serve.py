"""``popout serve`` without what it needs says what to install; the rest is in tests/web."""

import sys

import pytest
from command_line import refusal

from popout.cli import serve


@pytest.mark.parametrize("missing", serve.NEEDED)
def test_without_the_extra_it_says_what_to_install(monkeypatch, missing):
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == missing else sys)
    assert f"no {missing}; run: pip install popout[web]" in refusal("serve")
