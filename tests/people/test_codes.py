"""Codes of answers and classes: two labels are two answers or a message, never one answer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from popout.people.reading.datafile import plain_word
from popout.people.reading.reader import read_trials
from popout.policies.stopping import Action
from popout.task import InputError

PRESENT = np.arange(40) % 2 == 0
SAID = PRESENT ^ (np.arange(40) % 10 == 3)
WORDS = np.array(["absent", "present"])
PLAIN = pd.DataFrame({"target": WORDS[PRESENT * 1], "response": WORDS[SAID * 1]})
PLAIN = PLAIN.assign(set_size=4, rt=0.5)


def table(**columns):
    return PLAIN.assign(**columns)


def labelled(rows, first, second):
    return pd.Series([first if each else second for each in rows], dtype=object)


known = (
    "yes no true false t f y n a p present absent 1 0 -1 2 +1 +0 1.0 T+ T- + - none NA ? timeout"
)
label = st.sampled_from(known.split()) | st.text("aAfFjtTyYnNoO012-+\u2212\u2013 _./?²", max_size=4)


def read_as(frame, codes):
    """Return the answers or classes of a column of two labels, or None if it is refused."""
    try:
        own = read_trials(frame, codes=codes)["1"]
    except InputError:
        return None
    assert len(own) == len(frame)
    return own


@settings(max_examples=80)
@given(first=label, second=label, given_codes=st.booleans())
def test_two_labels_of_answers_are_two_answers_or_a_message(first, second, given_codes):
    codes = {"response": (first, second)} if given_codes else None
    own = read_as(table(response=labelled(SAID, first, second)), codes)
    if own is not None:
        assert ((own.response == Action.PRESENT) == SAID).all()
        assert ((own.response == Action.ABSENT) == ~SAID).all()


@settings(max_examples=80)
@given(first=label, second=label, given_codes=st.booleans())
def test_two_labels_of_classes_are_two_classes_or_a_message(first, second, given_codes):
    codes = {"target": (first, second)} if given_codes else None
    own = read_as(table(target=labelled(PRESENT, first, second)), codes)
    if own is not None:
        assert len(set(own.present[PRESENT])) == len(set(own.present[~PRESENT])) == 1
        assert own.present[0] != own.present[1]
        assert own.present[0] or not given_codes


@settings(max_examples=50)
@given(first=label, second=label, given_codes=st.booleans())
def test_two_labels_of_right_and_wrong_are_two_or_a_message(first, second, given_codes):
    assume(plain_word(first.strip()) != plain_word(second.strip()))  # else a column of one value
    right = SAID == PRESENT
    codes = {"correct": (first, second)} if given_codes else None
    own = read_as(table(correct=labelled(right, first, second)).drop(columns="response"), codes)
    if own is not None:
        decided = own.response != Action.WAIT
        assert len(set(own.correct[right & decided])) <= 1
        assert not decided.all() or own.correct[0] != own.correct[3]


@pytest.mark.parametrize(
    ("present", "absent"),
    [("1", "-1"), ("+1", "-1"), ("1", "\u22121"), ("T+", "T-"), ("+", "-"), ("T (+)", "T (-)")],
)
@pytest.mark.parametrize("said", [True, False], ids=["codes", "no codes"])
@pytest.mark.parametrize("role", ["target", "response"])
def test_signs_count(present, absent, said, role):
    codes = {role: (present, absent.replace("\u2212", "-"))} if said else None
    truth = {"target": PRESENT, "response": SAID}[role]
    own = read_trials(table(**{role: labelled(truth, present, absent)}), codes=codes)["1"]
    assert (own.present == PRESENT).all()
    assert ((own.response == Action.PRESENT) == SAID).all()
    assert not (own.response == Action.WAIT).any()


TIME_OUTS = ["None", "null", "", "NaN", "NA", "n/a", "timeout", "No Response", "-1", None, np.nan]


@pytest.mark.parametrize("silent", TIME_OUTS, ids=repr)
@pytest.mark.parametrize("codes", [None, {"response": ("j", "f")}], ids=["no codes", "codes"])
def test_a_time_out_is_undecided_whatever_the_program_calls_it(silent, codes):
    keys = labelled(SAID, "j", "f")
    keys[[5, 8]] = silent
    frame = table(response=keys, rt=PLAIN["rt"].where(keys.index != 5))
    read = read_trials(frame, codes=codes)
    undecided = np.isin(np.arange(40), [5, 8])
    assert ((read["1"].response == Action.WAIT) == undecided).all()
    assert ((read["1"].response == Action.PRESENT) == (SAID & ~undecided)).all()
    assert read.n_dropped == 0
    assert "no answer" in read.reading.meanings["response"]


@pytest.mark.parametrize("silent", ["", "-1", "timeout"])
def test_a_time_out_where_only_right_and_wrong_are_known(silent):
    right = labelled(SAID == PRESENT, "1", "0")
    right[5] = silent
    own = read_trials(table(correct=right).drop(columns="response"))["1"]
    assert own.response[5] == Action.WAIT
    assert (own.response == Action.WAIT).sum() == 1


def test_more_trials_without_an_answer_than_with_one_are_a_wrong_column():
    """Of the trials that are no practice; practice alone is refused as well."""
    keys, practice = labelled(SAID, "j", "f"), table(practice="1")
    keys[:20] = ""
    some = table(response=keys, practice="0", rt=PLAIN["rt"].where(keys != ""))
    assert read_trials(pd.concat([some, practice])).n_trials == 40
    some.loc[20, ["response", "rt"]] = ["", np.nan]
    with pytest.raises(InputError, match="21 of 40 that cannot be used: 21 no answer"):
        read_trials(pd.concat([some, practice]))
    with pytest.raises(InputError, match="no practice"):
        read_trials(practice)


def test_zero_or_minus_one_is_no_answer_whichever_is_rare():
    for rare, absent in (("0", "-1"), ("-1", "0")):
        keys = labelled(SAID, "1", absent)
        keys[4] = rare
        own = read_trials(table(response=keys))["1"]
        assert (own.response == Action.WAIT).nonzero()[0].tolist() == [4]
        assert ((own.response == Action.ABSENT) == (keys == absent)).all()
        keys[:20] = rare
        with pytest.raises(InputError, match="codes response"):
            read_trials(table(response=keys))
        other = read_trials(table(response=keys), codes={"response": ("1", absent)})["1"]
        assert (other.response == Action.WAIT).sum() == 20


@pytest.mark.parametrize(("present", "absent"), [("f", "a"), ("t", "y"), ("n", "a")])
def test_keys_that_are_words_for_one_class_are_told_from_the_trials(present, absent):
    own = read_trials(table(response=labelled(SAID, present, absent)))["1"]
    assert ((own.response == Action.PRESENT) == SAID).all()


def test_keys_are_told_where_targets_are_rare():
    """With targets on a tenth of the displays most presses of either key are without own."""
    rng = np.random.default_rng(1)
    present = rng.random(600) < 0.1
    said = present ^ (rng.random(600) < 0.2)
    assert present[said].mean() < 0.4
    frame = pd.DataFrame({"set_size": 4, "rt": 0.5, "present": present})
    own = read_trials(frame.assign(key=np.where(said, "j", "f")))["1"]
    assert ((own.response == Action.PRESENT) == said).all()


def test_answers_that_are_mostly_wrong_have_changed_places():
    turned = labelled(SAID, "0", "1")
    with pytest.raises(InputError, match="4 right ones of 40"):
        read_trials(table(response=turned))
    own = read_trials(table(response=turned), codes={"response": ("0", "1")})["1"]
    assert ((own.response == Action.PRESENT) == SAID).all()


def test_keys_pressed_where_there_is_no_trial_say_nothing():
    pause = pd.DataFrame({"response": ["space"] * 12, "rt": 2.0})
    read = read_trials(pd.concat([table(response=labelled(SAID, "j", "f")), pause]))
    assert len(read["1"]) == 40
    assert read.dropped.sum().to_dict() == {"no set size": 12}


PRACTICE = np.arange(40) < 10


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Trial Type", ("practice", "experimental")),
        ("Blk", ("practice", "1")),
        ("which", ("Practice trials", "test")),
        ("Procedure[Trial]", ("PracProc", "TrialProc")),
        ("practice", ("1", "-1")),
    ],
)
def test_practice_wherever_it_is_named(name, values):
    read = read_trials(table(**{name: labelled(PRACTICE, *values)}))
    assert read.reading.columns["target"] == "target"
    assert read.dropped.sum().to_dict() == {"practice": 10}
    assert read.reading.notes == ("No column of observers: all trials are taken as those of one.",)


def test_a_trained_group_is_no_practice():
    for words in (("trained", "naive"), ("practical", "abstract")):
        assert read_trials(table(group=labelled(PRACTICE, *words))).n_dropped == 0


def test_a_column_of_practice_that_does_not_say():
    with pytest.raises(InputError, match="practice and other trials, or 1 and 0"):
        read_trials(table(part=labelled(PRACTICE, "A", "B")), columns={"practice": "part"})


def test_what_is_pooled_is_named_with_all_values_and_the_options():
    read = read_trials(table(soa=np.arange(40) % 7))
    (note,) = (each for each in read.reading.notes if "Pooled" in each)
    assert "soa (0, 1, 2, 3, 4, 5, 6)" in note
    assert "--where soa=0" in note
    assert "--split soa" in note
    assert read_trials(table(Blk=np.arange(40) % 7)).reading.columns["block"] == "Blk"


def test_a_condition_called_target_is_said_to_be_pooled():
    frame = table(target_present=PLAIN["target"])
    frame["target"] = np.where(np.arange(40) % 4 < 2, "vertical", "tilted")
    assert any("Pooled: target (tilted, vertical)" in note for note in read_trials(frame).notes)


def test_all_faults_of_a_file_come_in_one_message():
    frame = table(target=labelled(PRESENT, "3", "4"), correct="maybe", set_size="many")
    options = {"where": {"dyn": "x"}, "split": "nothing", "columns": {"block": "B"}}
    with pytest.raises(InputError) as caught:
        read_trials(frame.drop(columns="rt"), **options)
    words = ("columns.block", "response times", "where", "split", "target", "correct", "set_size")
    assert len(caught.value.lines) == len(words)
    for expected in words:
        assert any(expected in line for line in caught.value.lines), expected
    assert "none by that name" not in str(caught.value)
