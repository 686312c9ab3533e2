"""Reports: parts, pages and stored results; and the report on a task of one's own.

==================  ===============================================================================
`part`              a part of a report, typed, and the run over parts
`cells`             tables filled cell by cell, with units and labels
`store`             results beside the pictures, so that a repeated run continues
`page`, `publish`   the page and the same as data, with where the numbers come from
`words`             numbers in sentences
`analyse`           the report on a task: the run over its sections
`sections`          what the task looks like, what it allows, which strategy does best: one module
                    each
`study`             what several sections need, and how much work goes into a report
`contest`           the strategies that exist for the task, tuned and scored on common noise
`odds_paths`        the evidence of many trials, on which thresholds are tuned and scored
==================  ===============================================================================
"""
