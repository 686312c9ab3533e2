"""Ideal observers for visual search.

Is the target on the display? `popout` turns observations into exact posteriors, and computes when
an observer should stop looking and what to answer. The paper is Chen and Perona, "Towards an
optimal decision strategy of visual search"; ``docs/notation.md`` maps its symbols to names here.

The public names below are loaded when first used, so that ``import popout`` costs next to nothing
and the command line answers at once.

Examples
--------
>>> import popout as po
>>> task = po.SearchTask(n_locations=2, drift=4.0)
>>> task.drifts
(4.0, 4.0)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from popout._version import __version__ as __version__

if TYPE_CHECKING:  # the same names, for type checkers and editors; a test keeps the two together
    from popout.analysis.certify import certify as certify
    from popout.analysis.compare import compare as compare
    from popout.analysis.comparison import Comparison as Comparison
    from popout.analysis.regret import Regret as Regret
    from popout.analysis.regret import regret as regret
    from popout.analysis.reliability import Reliability as Reliability
    from popout.analysis.reliability import reliability as reliability
    from popout.analysis.simulate import simulate as simulate
    from popout.analysis.sweep import Sweep as Sweep
    from popout.analysis.sweep import sweep as sweep
    from popout.analysis.thresholds import threshold_pair as threshold_pair
    from popout.analysis.tune import Tuned as Tuned
    from popout.analysis.tune import tune as tune
    from popout.attention import Attention as Attention
    from popout.attention import AttentionTable as AttentionTable
    from popout.attention import Guided as Guided
    from popout.attention import Parallel as Parallel
    from popout.attention import Serial as Serial
    from popout.certificate import Certificate as Certificate
    from popout.certificate import ControlledRisk as ControlledRisk
    from popout.certificate import controlled_risk as controlled_risk
    from popout.evidence import Condition as Condition
    from popout.evidence import Evidence as Evidence
    from popout.evidence import LLRStep as LLRStep
    from popout.evidence import Posterior as Posterior
    from popout.evidence import Sample as Sample
    from popout.evidence import SceneBias as SceneBias
    from popout.evidence import Stream as Stream
    from popout.evidence import llr_step as llr_step
    from popout.evidence import log_likelihood_ratio_search as log_likelihood_ratio_search
    from popout.evidence import scene_complexity_bias as scene_complexity_bias
    from popout.evidence import visible_blanks_bias as visible_blanks_bias
    from popout.exact import Backend as Backend
    from popout.exact import Boundary as Boundary
    from popout.exact import DeadlineSolution as DeadlineSolution
    from popout.exact import Diagnostics as Diagnostics
    from popout.exact import Evaluation as Evaluation
    from popout.exact import GridSpec as GridSpec
    from popout.exact import MemoryLimitError as MemoryLimitError
    from popout.exact import NotConvergedError as NotConvergedError
    from popout.exact import Scales as Scales
    from popout.exact import Solution as Solution
    from popout.exact import TooLongError as TooLongError
    from popout.exact import ValueGrid as ValueGrid
    from popout.exact import evaluate as evaluate
    from popout.exact import solve as solve
    from popout.exact import solve_deadline as solve_deadline
    from popout.exact import thresholds as thresholds
    from popout.exact.joint_evaluation import evaluate_joint as evaluate_joint
    from popout.exact.joint_limit import ContinuousTime as ContinuousTime
    from popout.exact.joint_limit import continuous_time as continuous_time
    from popout.exact.joint_solver import JointSolution as JointSolution
    from popout.exact.joint_solver import best_stopping as best_stopping
    from popout.exact.joint_solver import solve_joint as solve_joint
    from popout.people.description import TrialsDescription as TrialsDescription
    from popout.people.description import describe_trials as describe_trials
    from popout.people.fitted_observers import FittedObservers as FittedObservers
    from popout.people.observed import ObservedTrials as ObservedTrials
    from popout.people.observers import fit_observers as fit_observers
    from popout.people.reading import read_trials as read_trials
    from popout.simulation import JointTrials as JointTrials
    from popout.simulation import Responses as Responses
    from popout.simulation import Summary as Summary
    from popout.simulation import Tally as Tally
    from popout.simulation import Trials as Trials
    from popout.simulation.attention_simulate import simulate_joint as simulate_joint
    from popout.strategies import ASPRT as ASPRT
    from popout.strategies import SPRT as SPRT
    from popout.strategies import Action as Action
    from popout.strategies import BoundaryStrategy as BoundaryStrategy
    from popout.strategies import Hardmax as Hardmax
    from popout.strategies import Recipe as Recipe
    from popout.strategies import ScaledSPRT as ScaledSPRT
    from popout.strategies import SPRTOpt as SPRTOpt
    from popout.strategies import Strategy as Strategy
    from popout.strategies import TimeVaryingSPRT as TimeVaryingSPRT
    from popout.study.analyse import Analysis as Analysis
    from popout.study.analyse import analyse as analyse
    from popout.task import Costs as Costs
    from popout.task import DiscriminationTask as DiscriminationTask
    from popout.task import GaussianWalk as GaussianWalk
    from popout.task import InputError as InputError
    from popout.task import LimitedSearchTask as LimitedSearchTask
    from popout.task import MixtureSearchTask as MixtureSearchTask
    from popout.task import PoissonSpikes as PoissonSpikes
    from popout.task import SceneSearchTask as SceneSearchTask
    from popout.task import SearchTask as SearchTask
    from popout.task import Task as Task
    from popout.task import load_costs as load_costs
    from popout.task import load_task as load_task
    from popout.task import save_task as save_task

_MODULE_OF = {
    # task
    "Costs": "popout.task",
    "DiscriminationTask": "popout.task",
    "GaussianWalk": "popout.task",
    "InputError": "popout.task",
    "LimitedSearchTask": "popout.task",
    "MixtureSearchTask": "popout.task",
    "PoissonSpikes": "popout.task",
    "SceneSearchTask": "popout.task",
    "SearchTask": "popout.task",
    "Task": "popout.task",
    "load_costs": "popout.task",
    "load_task": "popout.task",
    "save_task": "popout.task",
    # evidence
    "Condition": "popout.evidence",
    "Evidence": "popout.evidence",
    "LLRStep": "popout.evidence",
    "Posterior": "popout.evidence",
    "Sample": "popout.evidence",
    "SceneBias": "popout.evidence",
    "Stream": "popout.evidence",
    "llr_step": "popout.evidence",
    "log_likelihood_ratio_search": "popout.evidence",
    "scene_complexity_bias": "popout.evidence",
    "visible_blanks_bias": "popout.evidence",
    # exact
    "Backend": "popout.exact",
    "Boundary": "popout.exact",
    "ContinuousTime": "popout.exact.joint_limit",
    "DeadlineSolution": "popout.exact",
    "Diagnostics": "popout.exact",
    "Evaluation": "popout.exact",
    "GridSpec": "popout.exact",
    "JointSolution": "popout.exact.joint_solver",
    "MemoryLimitError": "popout.exact",
    "NotConvergedError": "popout.exact",
    "TooLongError": "popout.exact",
    "Scales": "popout.exact",
    "Solution": "popout.exact",
    "ValueGrid": "popout.exact",
    "best_stopping": "popout.exact.joint_solver",
    "continuous_time": "popout.exact.joint_limit",
    "evaluate": "popout.exact",
    "evaluate_joint": "popout.exact.joint_evaluation",
    "solve": "popout.exact",
    "solve_deadline": "popout.exact",
    "solve_joint": "popout.exact.joint_solver",
    "thresholds": "popout.exact",
    # strategies
    "ASPRT": "popout.strategies",
    "Action": "popout.strategies",
    "BoundaryStrategy": "popout.strategies",
    "Hardmax": "popout.strategies",
    "Recipe": "popout.strategies",
    "SPRT": "popout.strategies",
    "SPRTOpt": "popout.strategies",
    "ScaledSPRT": "popout.strategies",
    "Strategy": "popout.strategies",
    "TimeVaryingSPRT": "popout.strategies",
    # attention
    "Attention": "popout.attention",
    "AttentionTable": "popout.attention",
    "Guided": "popout.attention",
    "Parallel": "popout.attention",
    "Serial": "popout.attention",
    # simulation
    "JointTrials": "popout.simulation",
    "Responses": "popout.simulation",
    "Summary": "popout.simulation",
    "Tally": "popout.simulation",
    "Trials": "popout.simulation",
    "simulate_joint": "popout.simulation.attention_simulate",
    # certificate
    "Certificate": "popout.certificate",
    "ControlledRisk": "popout.certificate",
    "controlled_risk": "popout.certificate",
    # analysis
    "Comparison": "popout.analysis.comparison",
    "Regret": "popout.analysis.regret",
    "Reliability": "popout.analysis.reliability",
    "Sweep": "popout.analysis.sweep",
    "Tuned": "popout.analysis.tune",
    "certify": "popout.analysis.certify",
    "compare": "popout.analysis.compare",
    "regret": "popout.analysis.regret",
    "reliability": "popout.analysis.reliability",
    "simulate": "popout.analysis.simulate",
    "sweep": "popout.analysis.sweep",
    "threshold_pair": "popout.analysis.thresholds",
    "tune": "popout.analysis.tune",
    # people
    "FittedObservers": "popout.people.fitted_observers",
    "ObservedTrials": "popout.people.observed",
    "TrialsDescription": "popout.people.description",
    "describe_trials": "popout.people.description",
    "fit_observers": "popout.people.observers",
    "read_trials": "popout.people.reading",
    # study
    "Analysis": "popout.study.analyse",
    "analyse": "popout.study.analyse",
}

__all__ = ["__version__", *_MODULE_OF]


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    try:
        module = _MODULE_OF[name]
    except KeyError:
        raise AttributeError(f"module 'popout' has no attribute {name!r}") from None
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
