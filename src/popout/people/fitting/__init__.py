"""Models fitted to trials: one observer, all observers, synthetic ones, and the report on them.

====================  =============================================================================
`maximum_likelihood`  estimates and intervals
`fitted_model`        what a fit found, and as it is stored
`model_comparison`    several models of one observer; cross-validation
`model_posterior`     what the data leave possible
`frontier`            how far from optimal an observer is
`synthetic`           designs, typical values, and observers drawn from a model
`recovery`            what a design can tell: synthetic observers fitted
`fit_job`             one observer and one model: the unit of work, and its file
`fit_observers`       all of them, on all cores, resumed after an interruption
`observer_fits`       the result, observer by observer and condition by condition
`fit_report`          its page
`fit_pictures`        its pictures
====================  =============================================================================
"""
