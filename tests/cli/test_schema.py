"""``popout schema``: the published files, to the byte."""

import json
from pathlib import Path

import jsonschema
import pytest
from command_line import run

SCHEMAS = Path(__file__).parents[2] / "schemas"


@pytest.mark.parametrize("kind", ["task", "sweep", "experiment"])
def test_it_prints_the_published_file(kind):
    text = run("schema", kind).stdout
    assert text == (SCHEMAS / f"{kind}.schema.json").read_text()
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
