"""Where to look: attention policies for a limited rate of information, one file each.

A policy looks at the local log likelihood ratios ``Z`` and the time ``t`` and shares out the
information of the next step (`Attention`). It combines with any strategy of `popout.strategies`,
which says when to stop and what to answer.
"""

from popout.attention.base import Attention
from popout.attention.exact_table import AttentionTable
from popout.attention.guided import Guided
from popout.attention.parallel import Parallel
from popout.attention.serial import Serial

__all__ = ["Attention", "AttentionTable", "Guided", "Parallel", "Serial"]
