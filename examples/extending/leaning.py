"""An attention policy in one file: most of the information to the most likely location."""

from dataclasses import dataclass

import numpy as np

from popout import Attention


@dataclass(frozen=True)
class Leaning(Attention):
    """Give the location with the most evidence `lean`, and share the rest evenly."""

    lean: float = 0.8
    label = "leaning"

    def shares(self, Z, t):
        """Return the shares of the next step, shape (..., M)."""
        Z = np.asarray(Z)
        M = Z.shape[-1]
        best = np.arange(M) == Z.argmax(axis=-1)[..., None]
        return np.where(best, self.lean, (1 - self.lean) / max(M - 1, 1))
