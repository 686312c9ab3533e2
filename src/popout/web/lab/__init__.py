"""The laboratory: participants' sessions, what they did, and the researcher's view of it.

================  =================================================================================
`storage`         the tables, in SQLite or PostgreSQL, and their migrations
`writer`          one thread that writes: many requests in one durable commit
`tokens`          secrets that are stored as hashes
`records`         what a participant's page may send
`laboratory`      sessions: begin, resume, store, finish
`overview`        progress and response times so far
`export`          CSV, Parquet, Psych-DS
================  =================================================================================
"""
