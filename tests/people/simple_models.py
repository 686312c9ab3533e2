"""Models that cost microseconds, whose likelihoods are known by heart."""

import numpy as np

from popout.people.models.model import Model, ModelParameter, Scale
from popout.simulation.responses import Responses


class LogNormalTimes(Model):
    """Lognormal times, whatever the display; answers are all the same."""

    name, label = "lognormal", "lognormal times"
    parameters = (
        ModelParameter("median", "median", "s", 0.1, 10.0, Scale.LOG),
        ModelParameter("sd", "sd of log times", "", 0.05, 2.0, Scale.LOG),
    )

    def log_densities(self, values, responses, tables=None):
        z = (np.log(responses.rt) - np.log(values["median"])) / values["sd"]
        return -0.5 * z**2 - np.log(values["sd"] * responses.rt * np.sqrt(2 * np.pi))

    def simulate(self, values, n, random, **columns):
        """Return n trials, with columns of one value each."""
        rt = values["median"] * np.exp(values["sd"] * random.standard_normal(n))
        named = {k: np.full(n, v) for k, v in {"set_size": 4, **columns}.items()}
        return Responses(np.ones(n), rt, -np.ones(n), columns=named)


def together(parts):
    """Return several trials as if they were of one observer, in turn."""
    columns = {k: np.concatenate([p.columns[k] for p in parts]) for k in parts[0].columns}
    values = (np.concatenate([getattr(p, k) for p in parts]) for k in ("response", "rt", "target"))
    whole = Responses(*values, columns=columns)
    return whole.where(np.random.default_rng(0).permutation(len(whole)))
