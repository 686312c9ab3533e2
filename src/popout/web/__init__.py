"""The browser side: an explorer to play with, and a laboratory that runs experiments.

================  =================================================================================
`http`            the server itself: pages, refusals, limits, the OpenAPI description
`explorer`        questions that a visitor may ask, their settings, and the answers
`desk`            who works on which question: worker processes, queue, jobs, cache
`lab`             participants' sessions, storage, the researcher's view, export
================  =================================================================================

It needs the extra ``popout[web]``. ``docs/web-api.md`` is the contract with the pages.
"""
