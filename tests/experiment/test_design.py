"""Designs: points are risks; files, their schema, and what does not fit together is named."""

import json
import random
import string
import tomllib
from pathlib import Path

import jsonschema
import pytest
import tomli_w

from popout.experiment import Block
from popout.experiment.design import design_from, design_schema, load_design
from popout.experiment.words import WORDS
from popout.task import Costs, InputError
from popout.task.document import Document

from .designs import make_design


def test_points_lost_are_risk():
    block = Block("Main", 12, costs=Costs(time=(0.2, 0.4), miss=4.0, false_alarm=2.0))
    design = make_design(blocks=[block], points=100)
    assert design.block_points(block) == pytest.approx(
        {"correct": 100, "miss": -300, "false_alarm": -100, "second": -30}
    )


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"set_sizes": [13]}, ("set_sizes",)),
        ({"distractors": [180]}, ("distractors",)),
        ({"contrast": [1.0, 0.5]}, ("contrast",)),
        ({"absent_key": "j"}, ("absent_key",)),
        ({"redirect": "javascript:alert(1)"}, ("redirect",)),
        ({"participant_parameter": "a b"}, ("participant_parameter",)),
        ({"blocks": [Block("Practice", 4, practice=True)]}, ("blocks",)),
        ({"blocks": [Block("Main", 4, set_sizes=[20])]}, ("blocks", 0, "set_sizes")),
        ({"blocks": [Block("Main", 4000), Block("More", 4000)]}, ("blocks",)),
        ({"language": "fr"}, ("language",)),
        ({"language": "french fries"}, ("language",)),
        ({"words": {"strat": "Go!"}}, ("words",)),
        ({"words": {"start": " "}}, ("words", "start")),
        ({"words": "Go!"}, ("words",)),
    ],
)
def test_what_does_not_fit_together_is_named(fields, path):
    with pytest.raises(InputError) as caught:
        make_design(**fields)
    assert [fault.path for fault in caught.value.faults] == [path]


def test_any_language_in_words_of_its_own_and_some_without():
    assert make_design(language="de-AT", words={"start": "Los"}).words == {"start": "Los"}
    french = dict.fromkeys(WORDS, "...")
    design = make_design(language="fr", words=french)
    assert design_from(Document(design.as_dict(), {})) == design
    assert hash(design) != hash(make_design())
    del french["start"]
    with pytest.raises(InputError, match="add the 1 that are missing: start"):
        make_design(language="fr", words=french)


EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "experiments").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_designs_and_fit_their_schema(path):
    design = load_design(path)
    assert design.n_trials > 300
    assert 10 < design.minutes < 30
    jsonschema.validate(tomllib.loads(path.read_text()), design_schema())


def test_the_examples_show_what_they_are_for():
    designs = {path.stem: load_design(path) for path in EXAMPLES}
    assert len(designs["set_size"].set_sizes) == 3
    assert {block.tied for block in designs["tied_distractors"].blocks} == {True, False}
    assert len(set(designs["visibility"].contrast)) == 2
    assert len({block.costs for block in designs["payoffs"].blocks}) >= 3


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_design_survives_json(path):
    design = load_design(path)
    again = design_from(Document(json.loads(json.dumps(design.as_dict())), {}))
    assert again == design


def test_faults_of_a_file_come_with_their_lines(tmp_path):
    path = tmp_path / "design.toml"
    text = EXAMPLES[0].read_text().replace("trials = 120", 'trials = "many"')
    path.write_text(text.replace("targets", "tragets", 1))
    with pytest.raises(InputError) as caught:
        load_design(path)
    lines = text.splitlines()
    said = [fault for fault in caught.value.faults if fault.path[-1:] == ("trials",)]
    assert [lines[fault.line - 1] for fault in said] == ['trials = "many"'] * len(said)
    assert len(said) == text.count('"many"') > 1
    assert any(fault.remedy == "did you mean targets?" for fault in caught.value.faults)


WRONG = ["?", [], {}, [[]], -1, 0, 1e300, float("nan"), "x" * 30_000, True, [{"a": 1}], "\x00"]


def spoiled(chance, table):
    """Return a design with one entry, at any depth, replaced, dropped, misspelt or doubled."""
    table = json.loads(json.dumps(table))
    place = table
    while True:
        key = chance.choice(list(place if isinstance(place, dict) else range(len(place))))
        inside = place[key]
        if isinstance(inside, dict | list) and inside and chance.random() < 0.7:
            place = inside
            continue
        if isinstance(place, dict) and chance.random() < 0.25:
            name = "".join(chance.choice(string.ascii_letters) for _ in range(6))
            place[name] = place.pop(key)
        else:
            place[key] = chance.choice(WRONG)
        return table


def test_malformed_designs_are_refused_in_words(tmp_path):
    """Of 150 spoiled files each is refused with a fault, or is a design after all."""
    chance = random.Random(15)
    refused = []
    for number in range(150):
        good = EXAMPLES[number % len(EXAMPLES)].read_bytes()
        path = tmp_path / f"{number}.toml"
        if number % 3:
            path.write_text(tomli_w.dumps(spoiled(chance, tomllib.loads(good.decode()))))
        else:
            at = chance.randrange(len(good))
            junk = chance.choice([b"\xff", b"]", b"\n[[", b"\x00", b'"""', b"= ="])
            path.write_bytes(good[:at] + junk + good[at:])
        refused.append(faults_of(path))
    assert sum(map(bool, refused)) > 100
    assert all(fault.expected and fault.file for faults in refused for fault in faults)


def faults_of(path):
    try:
        load_design(path)
    except InputError as error:
        return error.faults
    return ()


@pytest.mark.parametrize("wrong", [{"prior": 0}, {"prior": 1.5}, {"contrast": -1}, {"tied": 3}])
def test_every_fault_of_a_block_says_what_to_do(wrong):
    with pytest.raises(InputError) as caught:
        Block("Main", 12, **wrong)
    assert all(fault.remedy for fault in caught.value.faults)
