"""PyDDM's side of bench_people.py: fit two-choice trials and print what came of it as JSON.

It needs PyDDM and none of popout, so that an environment of its own can run it:

    python benchmarks/pyddm_two_choices.py TRIALS.csv LONGEST

The model is that of bench_people.py in PyDDM's words: drift of either sign, constant bounds, a
starting point, non-decision time of which 60 % never vary and the rest is lognormal, and a share of
uniform lapses; grids of time and space are PyDDM's defaults, and so is the search (differential
evolution). Its ranges hold the truth and are narrower than ours.
"""

import json
import sys
import time

import numpy as np
import pandas as pd
import pyddm
from pyddm.models.loss import LossLikelihood
from scipy.special import ndtr

CONSTANT = 0.6
EVALUATIONS = 0
FIRST = None  # processor seconds of this process until the first likelihood


class Counted(LossLikelihood):
    """The likelihood, and how often it was asked for."""

    name = "counted likelihood"

    def loss(self, model):
        """Count, and return minus the log likelihood."""
        global EVALUATIONS, FIRST
        EVALUATIONS += 1
        total = super().loss(model)
        FIRST = FIRST or time.process_time()
        return total


class SignedDrift(pyddm.Drift):
    """Towards the upper bound if the target is there."""

    name = "signed drift"
    required_parameters = ("rate",)
    required_conditions = ("present",)

    def get_drift(self, conditions, **kwargs):
        """Return the drift of a trial."""
        return self.rate if conditions["present"] else -self.rate


class LognormalResidual(pyddm.Overlay):
    """Non-decision time that is partly constant and partly lognormal."""

    name = "lognormal non-decision time"
    required_parameters = ("mean", "sd")

    def apply(self, solution):
        """Add it to the decision times."""
        n, dt = len(solution.choice_upper), solution.dt
        rest = self.mean * (1.0 - CONSTANT)
        spread = np.sqrt(np.log1p((self.sd / rest) ** 2))
        edges = np.maximum(dt * (np.arange(n + 1) - 0.5) - self.mean * CONSTANT, 1e-12)
        mass = np.diff(ndtr((np.log(edges) - np.log(rest) + 0.5 * spread**2) / spread))
        upper, lower = (
            np.convolve(each, mass)[:n] for each in (solution.choice_upper, solution.choice_lower)
        )
        return pyddm.Solution(upper, lower, solution.model, solution.conditions, solution.undec)


def main():
    trials = pd.read_csv(sys.argv[1])
    sample = pyddm.Sample.from_pandas_dataframe(
        trials, rt_column_name="rt", choice_column_name="said"
    )
    fitted = pyddm.Fittable
    model = pyddm.Model(
        drift=SignedDrift(rate=fitted(minval=0.7, maxval=20.0)),
        bound=pyddm.BoundConstant(B=fitted(minval=0.1, maxval=3.0)),
        IC=pyddm.ICPointRatio(x0=fitted(minval=-0.9, maxval=0.9)),
        overlay=pyddm.OverlayChain(
            overlays=[
                LognormalResidual(
                    mean=fitted(minval=0.05, maxval=1.5), sd=fitted(minval=0.005, maxval=0.5)
                ),
                pyddm.OverlayUniformMixture(umixturecoef=fitted(minval=1e-4, maxval=0.2)),
            ]
        ),
        T_dur=float(sys.argv[2]),
    )
    wall, processor = time.perf_counter(), time.process_time()
    pyddm.fit_adjust_model(sample, model, lossfunction=Counted, verbose=False)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    evaluations = EVALUATIONS
    total = -pyddm.get_model_loss(model, sample, lossfunction=LossLikelihood)
    rate, bound, start, mean, sd, lapse = (float(value) for value in model.get_model_parameters())
    # The log likelihood ratio is 2 x rate x place, with noise of 1.
    values = {
        "information": rate**2,
        "lower": 2.0 * rate * bound * (1.0 + start),
        "upper": 2.0 * rate * bound * (1.0 - start),
        "residual_mean": mean,
        "residual_sd": sd,
        "lapse": lapse,
    }
    result = {
        "log_likelihood": total,
        "evaluations": evaluations,
        "wall": wall,
        "processor": processor,
        "values": values,
        "first": FIRST,
        "version": pyddm.__version__,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
