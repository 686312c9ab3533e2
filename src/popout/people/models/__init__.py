"""Models of people: the density of answers and response times, given a few parameters.

=====================  ============================================================================
`model`                what a model is, and its parameters
`search_models`        people who search: attention and stopping, ideal or free
`search_density`       the density of their answers and times
`conditioned`          a model some of whose parameters differ between conditions
`situation`            what the experimenter sets: base rate, costs of errors, time limit
`rule_models`          people who stop by a rule of the paper, told apart by places seen less well
`layouts`              the visibility of places, in columns of trials
`ex_gaussian`          the yardstick: one ex-Gaussian for each cell
`ex_gaussian_times`    its densities
`prediction`           what any model predicts: errors, means, quantiles, slopes, synthetic trials
=====================  ============================================================================
"""
