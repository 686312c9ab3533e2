"""Where to look: attention policies for a limited rate of information, one file each.

A policy looks at the local log likelihood ratios ``Z`` and the time ``t`` and shares out the
information of the next step (`Attention`). It combines with any strategy of
`popout.policies.stopping`, which says when to stop and what to answer.
"""

from popout.policies.looking.attention import Attention
from popout.policies.looking.exact_table import AttentionTable
from popout.policies.looking.guided import Guided
from popout.policies.looking.parallel import Parallel
from popout.policies.looking.serial import Serial

__all__ = ["Attention", "AttentionTable", "Guided", "Parallel", "Serial"]
