"""``popout schema``: the published files, to the byte."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from popout.cli import group

SCHEMAS = Path(__file__).parents[2] / "schemas"


@pytest.mark.parametrize("kind", ["task", "sweep", "experiment"])
def test_it_prints_the_published_file(kind):
    result = CliRunner().invoke(group.main, ["schema", kind])
    assert result.exit_code == 0
    assert result.stdout == (SCHEMAS / f"{kind}.schema.json").read_text()
