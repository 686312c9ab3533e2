"""Designs that tests share."""

from popout.experiment import Block, ExperimentDesign

TEXTS = {"consent": "I agree.", "promise": "We store answers.", "instructions": "Search."}


def make_design(**fields):
    """Return a design of 4 practice trials and a block of 12."""
    usual = {
        "title": "Search",
        "set_sizes": [2, 4],
        "targets": [0],
        "distractors": [30],
        "blocks": [Block("Practice", 4, practice=True), Block("Main", 12)],
        **TEXTS,
    }
    return ExperimentDesign(**{**usual, **fields})
