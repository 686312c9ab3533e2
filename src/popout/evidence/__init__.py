"""The observation law and every log likelihood ratio of the paper; the only owner of both."""

from popout.evidence.llr_step import LLRStep, llr_step
from popout.evidence.search_ratio import log_likelihood_ratio_search

__all__ = [
    "LLRStep",
    "llr_step",
    "log_likelihood_ratio_search",
]
