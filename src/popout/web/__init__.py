"""The browser side: an explorer to play with, and a laboratory that runs experiments.

================  =================================================================================
`http`            the server itself: routes, pages, refusals, limits
`explorer`        questions that a visitor may ask, their answers, and the processes that compute
`lab`             participants' sessions, storage, the researcher's view, export
================  =================================================================================

It needs the extra ``popout[web]``. ``docs/web-api.md`` is the contract with the pages.
"""
