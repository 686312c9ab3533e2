"""Make the trials of three invented observers of `examples/experiments/rare_targets.toml`.

All attend to one item after the other, with thresholds of least risk where targets are common.
Where they are rare ``ada`` and ``cleo`` move their thresholds as the ideal observer does; ``ben``
keeps his.
"""

from pathlib import Path

import pandas as pd

from popout.people.fitting.synthetic import typical_values
from popout.people.models.search_models import models
from popout.people.models.situation import Situation
from popout.people.passages.passage_tables import PassageTables

SIZES = (4, 8)
BLOCKS = {"Common": (120, 0.5), "Rare": (200, 0.1)}
"""Trials of a set size, and the share of them that has a target."""
OBSERVERS = {
    "ada": ({"information": 45.0, "time_cost": 0.2}, True),
    "ben": ({"information": 30.0, "time_cost": 0.15}, False),
    "cleo": ({"information": 60.0, "time_cost": 0.3}, True),
}


def main() -> None:
    """Write ``rare_targets.csv`` beside this file."""
    (model,), frames = models(["ideal-serial"]), []
    tables = PassageTables(SIZES)
    for seed, (name, (given, moves)) in enumerate(OBSERVERS.items()):
        values = typical_values(model, given)
        for k, (block, (n, prior)) in enumerate(BLOCKS.items()):
            stakes = Situation(prior=prior if moves else 0.5)
            shown = [(False, round(n * (1.0 - prior))), (True, round(n * prior))]
            cells = [(M, *each) for M in SIZES for each in shown]
            trials = model.predict(values, SIZES, tables, stakes).draw(cells, 2 * seed + k)
            frame = trials.to_pandas()[["set_size", "present", "response", "rt"]]
            frame["rt"] = frame["rt"].round(3)
            frames.append(frame.assign(observer=name, block=block))
    pd.concat(frames).to_csv(Path(__file__).with_name("rare_targets.csv"), index=False)


if __name__ == "__main__":
    main()
