"""The server itself.

================  =================================================================================
`app`             all routes together
`refusals`        what is answered to bad requests: status and faults
`bodies`          JSON out of a request, of bounded size and depth
`guards`          headers of every answer, and how often one may ask
`pages`           the pages and what belongs to them
`explorer`        questions and jobs
`openapi`         the description of the routes, made from the declared fields
`run`             `popout serve`: address, first start, end
================  =================================================================================
"""
