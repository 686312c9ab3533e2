r"""What no strategy can beat, where no table of the value function fits.

Two numbers take the place of an exact optimum :math:`R^*`: the risk of a strategy that exists, an
upper bound, and a lower bound that holds for every strategy whatever.

**Lower bound** (information relaxation; Rogers 2002, Haugh and Kogan 2004). Let :math:`G_k` be the
expected cost of time up to look *k* plus that of the better answer there, given the evidence
:math:`Z_0, \dots, Z_k`, and *M* any martingale under the observer's own predictive law,
:math:`M_0 = 0`. A strategy stops at some :math:`\tau` without knowing the future, so
:math:`\mathbb{E} M_\tau = 0` and

.. math::

   R(\tau) \ge \mathbb{E}\,G_\tau = \mathbb{E}[G_\tau - M_\tau]
           \ge \mathbb{E}\bigl[\min_k (G_k - M_k)\bigr].

The right side no longer knows of any strategy. It asks what a prophet who sees the whole path would
pay, were he charged for his foresight by *M*.

**The martingale** comes from an approximate value function *v*,

.. math:: M_{k+1} - M_k = v(Z_{k+1}) - \mathbb{E}[v(Z_{k+1}) \mid Z_k].

Summing up, :math:`G_k - M_k = v(Z_0) + (g - v)(Z_k) + \sum_{i<k} r(Z_i)`, with the cost *g* of the
better answer and Bellman's residual :math:`r = c\,\delta t + \mathbb{E}[v'] - v`. With the exact
value function :math:`v \le g` and :math:`r \ge 0`, both with equality along the best course: the
minimum is :math:`R^*` on every single path. Any v gives a bound; a better one a tighter bound with
less noise.

**Estimated expectations.** :math:`\mathbb{E}[v(Z') \mid Z]` may be replaced by an estimate that is
unbiased given Z and whose randomness :math:`\xi` is independent of the path. For then
:math:`\mathbb{E} M_\tau = 0` still holds for every strategy, which sees the path and not
:math:`\xi`; the last inequality above holds for each path and each :math:`\xi`. Trials may even
share :math:`\xi`, as the trials of a block do here; errors are then taken between blocks. How the
estimate is made nearly noiseless is said in `expectation`.

**Freezing.** Stop M at any stopping time *T*. From there on
:math:`G_k - M_T \ge` (cost of time at T) :math:`- M_T`, which enters the minimum in place of the
rest of the path. No horizon is assumed.

**Control variate.** :math:`G_\tau - M_\tau` has the mean :math:`R(\tau)` and, for a strategy that
stops near the optimum, a small fraction of the spread of :math:`G_\tau`. Both bounds come from the
same trials: their difference is never negative on any path.

=====================  ============================================================================
`problem`              what errors and time cost
`search_paths`         paths of a `SearchTask` in blocks, and its conditional expectations
`unknown_paths`        the same for unknown distractors
`unknown_posterior`    what is known of a display with unknown distractors, now and after a step
`statistics`           a few statistics of the evidence
`expectation`          points, change of measure and control variates of conditional expectations
`value`                value functions: learned by least squares, or from an exact table
`learn`                passes of learning
`bound`                following paths until the bounds are as precise as wanted
`certificate`          the result
=====================  ============================================================================

Strategies come in as arguments: tuning lives in `popout.analysis`, and with it `popout.certify`.
"""

from popout.certificate.certificate import Certificate
from popout.certificate.learn import Effort

__all__ = ["Certificate", "Effort"]
