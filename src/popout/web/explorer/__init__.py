"""Questions that visitors of the explorer ask, and their answers.

================  =================================================================================
`settings`        what can be chosen beside the task and the costs, declared once
`question`        a question: its settings, its answer, and how its body is read
`observers`       strategies and attention by name, made for a task
`curves`          decision boundaries and where attention goes, in the plane of two locations
`answers`         what each question answers
`fields`          the form, described for the page
================  =================================================================================
"""
