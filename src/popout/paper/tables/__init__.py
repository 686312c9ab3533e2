"""Numbers that a claim needs and no figure shows: figures without a picture.

Each module has ``compute(preset, seed, report)``, which returns labelled data. `recursion` is the
paper's own dynamic programming, which two of the tables examine.
"""
