"""Random numbers: where they come from, and what each of them is for.

==============  ===================================================================================
`seeds`         seeds of independent noise, one for each purpose
`streams`       one stream of normals for each trial, for simulation in SIMD lanes
`philox`        numbers by their place (seed, trial, purpose, index), for displays and observations
`elementary`    functions that both share, and those of `streams` in a form that compilers vectorise
==============  ===================================================================================

Both generators make a number a pure function of the seed and its place: results depend neither on
threads nor on chunks. There are two of them because they serve two users:

- `popout.simulation` runs known search tasks, billions of steps of Gaussian noise read in order.
  A stream costs two words of state and advances in every SIMD lane at once; its normals come from
  our own polynomials and have the same bits on every machine.
- `popout.evidence` draws displays and observations of any task. How many numbers a display takes is
  not known beforehand, and the noise must stay the same when the display changes: Philox gives any
  number on its own. Its normals come from the logarithm, sine and cosine of the C library.

The two transforms of Box and Muller differ for that reason: one cannot stand in for the other
without changing results.
"""
