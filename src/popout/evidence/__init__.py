"""The observation law and every log likelihood ratio of the paper; the only owner of both."""

from popout.evidence.approximations import (
    SceneBias,
    quadrature_error,
    scene_complexity_bias,
    visible_blanks_bias,
)
from popout.evidence.beliefs import Evidence
from popout.evidence.llr_step import LLRStep, llr_step
from popout.evidence.logspace import log_likelihood_ratio_search
from popout.evidence.posteriors import Posterior
from popout.evidence.sample import Condition, Sample

__all__ = [
    "Condition",
    "Evidence",
    "LLRStep",
    "Posterior",
    "Sample",
    "SceneBias",
    "llr_step",
    "log_likelihood_ratio_search",
    "quadrature_error",
    "scene_complexity_bias",
    "visible_blanks_bias",
]
