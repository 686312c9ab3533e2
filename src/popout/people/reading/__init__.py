"""From a file of trials to the trials of each observer, and what they look like before any model.

=================  ================================================================================
`reader`           `read_trials`, step by step
`datafile`         a file taken apart into columns: encodings, separators, decimal commas
`roles`            which column is what
`coding`           what the words in a column mean: classes, answers, right and wrong, practice
`observed`         `ObservedTrials`: what was read, and an account of the file
`stakes`           how likely a target was, what errors cost, when time was up
`places`           where targets were, and how visible places are
`description`      means, errors and slopes; conditions compared within observers
`trial_pictures`   the same, drawn
=================  ================================================================================
"""
