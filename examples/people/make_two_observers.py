"""Make the trials of two invented observers, as a laboratory might store them.

Both attend to one item after the other. ``ag`` has the best thresholds for a cost of time; ``km``
waits for more evidence than that before saying "absent". Keys are j for present and f for absent,
times are in milliseconds, and a few trials are spoiled, as they always are.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from popout.people.fitting.recovery import Design, synthetic_observer
from popout.people.fitting.synthetic import typical_values
from popout.people.models.search_models import models
from popout.people.passages.passage_tables import PassageTables
from popout.policies.stopping import Action

DESIGN = Design((3, 6, 12, 18), trials_per_cell=75)
RATE = {"information": 110.0, "capacity": -0.4, "residual_mean": 0.4}
OBSERVERS = {
    "ag": ("ideal-serial", {**RATE, "time_cost": 0.1}),
    "km": ("free-serial", {**RATE, "lower": 5.5, "lower_slope": 0.8, "upper": 3.0}),
}


def main() -> None:
    """Write ``two_observers.csv`` beside this file."""
    tables = PassageTables(DESIGN.set_sizes, n_paths=20_000)
    frames = []
    for seed, (name, (kind, given)) in enumerate(OBSERVERS.items()):
        (model,) = models([kind])
        trials = synthetic_observer(model, typical_values(model, given), DESIGN, tables, seed)
        frame = pd.DataFrame(
            {
                "subject": name,
                "block": trials.columns["block"] + 1,
                "set_size": trials.columns["set_size"],
                "target_present": trials.present.astype(int),
                "key": np.where(trials.response == Action.PRESENT, "j", "f"),
                "RT": np.rint(1000 * trials.rt).astype(int),
            }
        )
        frame.loc[17, "RT"] = 0
        frame.loc[200, "RT"] = 31_416
        frames.append(frame)
    path = Path(__file__).with_name("two_observers.csv")
    pd.concat(frames).to_csv(path, index=False)


if __name__ == "__main__":
    main()
