"""``popout schema``: the published files, to the byte."""

from pathlib import Path

import pytest
from command_line import run

SCHEMAS = Path(__file__).parents[2] / "schemas"


@pytest.mark.parametrize("kind", ["task", "sweep", "experiment"])
def test_it_prints_the_published_file(kind):
    assert run("schema", kind).stdout == (SCHEMAS / f"{kind}.schema.json").read_text()
