"""Tasks of every kind, and what is wrong with a description."""

from pathlib import Path

import pytest

import popout as po

WALK = po.GaussianWalk([-1, 0, 1])
EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "tasks").glob("*.toml"))
TASKS = [
    *(po.load_task(path) for path in EXAMPLES),
    po.SearchTask(n_locations=3, drift=4.0, location_prior=(0.2, 0.5, 0.3)),
    po.SearchTask(n_locations=1, drift=4.0),
    po.SceneSearchTask.from_sets(1, [0], [20], [1], {20: -4, 0: 4, "blank": -12}),
    po.MixtureSearchTask.independent(1, [0], [20], {20: -4, 0: 4}),
]


def faults_of(make):
    """Return the fields that a message names."""
    with pytest.raises(po.InputError) as caught:
        make()
    return {line.split(":")[0].split(".", 1)[1] for line in caught.value.lines}
