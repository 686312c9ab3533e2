"""People: response times in, fitted observers and their distance from the optimum out.

=============  ====================================================================================
`reading`      a file of trials: what is in it, and what it looks like before any model
`passages`     when the log likelihood ratio first reaches two thresholds: tables of decision times
`models`       the density of answers and response times, given a few parameters
`fitting`      models fitted to observers, compared, recovered from synthetic ones, and reported
`prediction`   fitted observers in another experiment, and held against what they did there
=============  ====================================================================================
"""
