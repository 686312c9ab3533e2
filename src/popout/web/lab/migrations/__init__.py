"""Migrations of the tables, run by Alembic whenever an experiment is served.

A change of the tables is a new file in ``versions``; tests compare the result with `storage`.
"""
