"""The report on a user's own task: what it looks like, what it allows, which strategy does best.

==================  ===============================================================================
`analyse`           the run over the sections
`sections`          their names, and what several of them need
`layout`            the page
`inputs`            a task and its costs from a file
`description`       the task in words
`effort`            how much work goes into a report
`problem`           a task, its costs, the effort; what the exact solver can take
`paths`             the evidence of many trials, on which thresholds are tuned and scored
`contest`           the strategies that exist for the task, tuned and scored on common noise
`displays`          section: displays drawn from the task
`evidence`          section: the log likelihood ratio over time, and how well it can be read
`boundary`          section: when to stop, exact where solvable
`strategies`        section: strategies compared
`cost`              section: risk against the cost of time
`response_times`    section: response times by class and answer
==================  ===============================================================================

A section has ``compute(study, report)``, which returns labelled data, ``draw(data)``, which makes
the picture from them, and ``describe(data)``, the sentences under it; some have ``tables(data)``.
"""
