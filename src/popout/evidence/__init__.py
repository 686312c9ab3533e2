"""The observation law and every log likelihood ratio of the paper; the only owner of both."""

from popout.evidence.evidence import Evidence
from popout.evidence.llr_step import LLRStep, llr_step
from popout.evidence.logspace import log_likelihood_ratio_search
from popout.evidence.posteriors import Posterior
from popout.evidence.quadrature import quadrature_error
from popout.evidence.sample import Condition, Sample
from popout.evidence.scene_bias import SceneBias, scene_complexity_bias, visible_blanks_bias
from popout.evidence.stream import Stream

__all__ = [
    "Condition",
    "Evidence",
    "LLRStep",
    "Posterior",
    "Sample",
    "SceneBias",
    "Stream",
    "llr_step",
    "log_likelihood_ratio_search",
    "quadrature_error",
    "scene_complexity_bias",
    "visible_blanks_bias",
]
