"""Migrations of the tables, run by Alembic whenever an experiment is served.

New databases get the tables of `storage` at once. A change of these tables is a new file in
``versions`` as well, for the databases that are there already.
"""
