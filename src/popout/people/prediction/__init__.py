"""Fitted observers in another experiment: predicted, and held against what they did there.

======================  ===========================================================================
`stored_fits`           the fits that a run of `fit_observers` left in its folder
`parameter_draws`       what these fits leave possible, for the intervals
`predicted_cells`       means and error rates there, if thresholds move and if they are kept
`held_against`          log scores beside data, and the share of the shift that people realise
`predicted_observers`   the result, observer by observer, and the group
`predict_observers`     all of them, on all cores, resumed after an interruption
`prediction_report`     its page
`prediction_pictures`   its pictures
======================  ===========================================================================
"""
