"""Models fitted to trials: one observer, all observers, synthetic ones, and the report on them.

====================  =============================================================================
`maximum_likelihood`  estimates and intervals
`fitted_model`        what a fit found, and as it is stored
`model_comparison`    several models of one observer; cross-validation
`model_posterior`     what the data leave possible
`candidate_fits`      candidates compared over people: conditions, and stopping rules
`conditions`          what a condition changes: candidates compared over people
`population`          a population that observers come from, and how it is sampled
`fitted_population`   its means and spreads, and shrunken observers
`arviz_data`          draws as ArviZ data, with log likelihoods and replicated trials
`frontier`            how far from optimal an observer is
`synthetic`           designs, typical values, and observers drawn from a model
`recovery`            what a design can tell: synthetic observers fitted
`fit_job`             the units of work, and their files
`fit_observers`       all of them, on all cores, resumed after an interruption
`observer_fits`       the result, observer by observer
`fit_report`          its page
`fit_pictures`        its pictures
`group_pictures`      those of conditions and populations
====================  =============================================================================
"""
