"""Random numbers: where they come from, and what each of them is for.

==============  ===================================================================================
`seeds`         seeds of independent noise, one for each purpose
`streams`       one stream of normals for each trial, for simulation in SIMD lanes
`philox`        numbers by their place (seed, trial, purpose, index), for displays and observations
`elementary`    the elementary functions of `streams`, written so that compilers vectorise them
==============  ===================================================================================

Both generators make a number a pure function of the seed and its place: results depend neither on
threads nor on chunks. Streams are the faster, and must be read in order; Philox gives any number on
its own, which displays with unknown distractors need (how many numbers a display takes is not known
beforehand).
"""
