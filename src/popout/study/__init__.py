"""The report on a user's own task: what it looks like, what it allows, which strategy does best.

==================  ===============================================================================
`analyse`           the run over the sections, and the report
`sections`          displays, evidence, when to stop, strategies, cost of time, response times:
                    one module each
`study`             what several sections need
`inputs`            a task and its costs from a file
`description`       the task in words
`effort`            how much work goes into a report
`assignment`        a task, its costs, the effort; what the exact solver can take
`paths`             the evidence of many trials, on which thresholds are tuned and scored
`contest`           the strategies that exist for the task, tuned and scored on common noise
==================  ===============================================================================
"""
