"""Experiments: designs that people can take part in, and what they are expected to tell.

================  =================================================================================
`layout`          where bars may stand: a ring or a grid, in degrees of visual angle
`design`          what a researcher decides: displays, blocks, payoffs, texts
`reading`         the file in which that is written, and its schema
`trials`          the trials of one participant, from the design and a number alone
`observer`        what an ideal observer would do in a design
`precision`       how precisely the parameters of an observer will be known
`recovering`      the same by fitting simulated participants
`pictures`        sample displays, drawn
`check`           all of that together: `popout experiment check`
================  =================================================================================
"""

from popout.experiment.design import Block, ExperimentDesign
from popout.experiment.reading import load_design
from popout.experiment.trials import Item, PlannedTrial, plan_trials

__all__ = ["Block", "ExperimentDesign", "Item", "PlannedTrial", "load_design", "plan_trials"]
