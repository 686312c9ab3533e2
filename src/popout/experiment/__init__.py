"""Experiments: designs that people can take part in, and what they are expected to tell.

================  =================================================================================
`layout`          where bars may stand: a ring or a grid, in degrees of visual angle
`design`          what a researcher decides, the file in which it is written, and its schema
`trials`          the trials of one participant, from the design and a number alone
`observer`        what an ideal observer would do in a design
`power`           what it will tell about people, under the models that are fitted to them
`check`           all of that together, and sample displays: `popout experiment check`
================  =================================================================================
"""

from popout.experiment.design import Block, ExperimentDesign, load_design
from popout.experiment.trials import Item, PlannedTrial, plan_trials

__all__ = ["Block", "ExperimentDesign", "Item", "PlannedTrial", "load_design", "plan_trials"]
