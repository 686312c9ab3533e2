"""The server itself.

================  =================================================================================
`explorer_routes` questions and jobs
`lab_routes`      a participant's session, and the researcher's view of all
`pages`           the pages and what belongs to them
`refusals`        what is answered to bad requests: status and faults
`guards`          headers of every answer, how often one may ask, how much one may send
`serving`         `popout serve`: all routes together, address, first start, end
================  =================================================================================
"""
