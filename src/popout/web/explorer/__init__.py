"""Questions that visitors of the explorer ask, their answers, and who works on them.

================  =================================================================================
`questions`       what may be asked, with which settings
`making`          observers by name, made for a task
`answers`         what each question answers
`worker`          a process of its own that computes answers, and can be stopped or killed
`desk`            queue, limits for each visitor and for all, time, the cache of answers
================  =================================================================================

The server itself computes nothing. Work runs in worker processes with little priority and bounded
memory; one that takes too long is killed and replaced. So no visitor can stop the server, nor keep
others waiting: free workers go to whoever has the fewest at work.
"""
