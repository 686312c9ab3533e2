"""Stopping rules told apart by places of unequal visibility: planned, simulated, fitted, judged.

Participants of a design do the trials that the laboratory plans for them. Each follows a rule of
the paper with the thresholds that are best for the costs of the design, in steps of 10 ms, with the
non-decision time that the design expects and one answer in a hundred at random. a-SPRT has the
scales of the law, or those that the power analysis tunes (`popout.experiment.rivals`). Answers
become an export of the laboratory, which is read and fitted as that of people. Printed are, by the
rule that was followed, how often each rule has the least AIC, and log likelihoods per trial, which
compare with the nats of the power analysis. Processor time: some five minutes.

    python benchmarks/table_rules.py
    python benchmarks/table_rules.py --participants 2 --sessions 4  # fewer, with more trials each
    python benchmarks/table_rules.py --part steps                   # what steps of the walks cost
    python benchmarks/table_rules.py --part scales                  # what scales of a-SPRT matter
    python benchmarks/table_rules.py --part export --participants 3 > trials.csv  # of a-SPRT
"""

import argparse
import json
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd

import popout as po
from popout.experiment import plan_trials
from popout.experiment.design import load_design
from popout.experiment.observer import task_of
from popout.experiment.rivals import LAPSES, rules_for
from popout.people.fitting.model_comparison import fit_models
from popout.people.models.rule_models import RULE_MODELS, rule_models
from popout.people.passages.first_passages import LEVELS
from popout.people.passages.passage_tables import PassageTables
from popout.people.passages.rule_passages import make_rule_passages
from popout.people.passages.stopping_rules import RULES, scales_at

DESIGN = "examples/experiments/visibility.toml"
TUNED = "a-SPRT, tuned"
LIKE = {rule.label: f"rule:{rule.name}" for rule in RULES.values()}
LIKE |= {"SPRT-opt": "rule:sprt", TUNED: "rule:a-sprt"}
FOLLOWED = ("a-SPRT", "Hardmax per location", "SPRT-opt", TUNED, "Hardmax")
POOL = 40_000


def outcomes(design, seed):
    """Simulate every rule in every block; yield rule, and answers and times by block and place."""
    pools = {}
    for k, block in enumerate(design.blocks):
        if block.practice:
            continue
        task = task_of(design, block, design.layout.n_places)
        costs = design.of_block(block, "costs")
        rules = dict(rules_for(task, costs, design.seed))
        del rules["SPRT"]  # SPRT-opt with other thresholds
        rules[TUNED] = rules["a-SPRT"]
        rules["a-SPRT"] = by_law(task, costs)
        for label, strategy in rules.items():
            trials = po.simulate(task, strategy, n_trials=POOL, seed=seed + k)
            for place in range(-1, task.n_locations):
                at = trials.target == place
                pair = trials.response[at], trials.steps[at] * task.dt
                pools.setdefault(label, {})[k, place] = pair
    return pools


def by_law(task, costs):
    """Return a-SPRT with the scales that the law has for the place that is seen best."""
    rule, best = po.ASPRT.for_task(task, costs), int(np.argmax(task.drifts))
    a_minus, a_plus = scales_at(rule.tau_plus / rule.c_plus[best], task.n_locations)
    # Scales count in the units of the reference, which is the last location here.
    return replace(rule, a_minus=a_minus / rule.c_minus[best], a_plus=a_plus / rule.c_plus[best])


def export(design, pools, number, sessions, random):
    """Return what the laboratory would export of a participant who came several times."""
    observer, limit, rows = design.observer, design.timing.time_limit, []
    for session in range(sessions):
        for trial in plan_trials(design, sessions * number + session + 1):
            if trial.practice:
                continue
            place = -1 if trial.target is None else trial.items[trial.target].place
            response, decided = pools[trial.block, place]
            draw = random.integers(len(response))
            said = response[draw]
            rt = decided[draw] + random.normal(observer.non_decision_time, observer.non_decision_sd)
            if random.random() < LAPSES:
                said, rt = random.integers(1, 3), random.uniform(0.0, limit)
            late = said == po.Action.WAIT or rt > limit
            words = {po.Action.PRESENT: "present", po.Action.ABSENT: "absent"}
            about = dict.fromkeys(("onset", "frame_interval", "dropped_frames"), 0)
            about |= dict.fromkeys(("input", "received", "design", "tied"), "")
            rows.append({
                **about, "observer": f"p{number}", "number": number, "trial": len(rows),
                "block": design.blocks[trial.block].name, "practice": False,
                "set_size": trial.set_size, "present": trial.present, "time_limit": limit,
                "response": "" if late else words[said], "rt": limit if late else rt,
                "correct": not late and (said == po.Action.PRESENT) == trial.present,
                "target_place": np.nan if place < 0 else place, "prior": 0.5,
                "items": json.dumps([item.as_dict() for item in trial.items]),
            })  # fmt: skip
    return pd.DataFrame(rows)


def confusion(design, participants, sessions, paths, seed):
    """Print how often each rule is taken for each, and log likelihoods per trial."""
    pools, random = outcomes(design, seed), np.random.default_rng(seed)
    tables = PassageTables([design.layout.n_places], paths, seed=seed, threads=1)
    print("| followed | trials | fitted | best by AIC | nats per trial that it is worse by |")
    print("|---|---|---|---|---|")
    for truth in FOLLOWED:
        best, gains, trials_of = [], [], []
        for number in range(participants):
            read = po.read_trials(export(design, pools[truth], number, sessions, random))
            trials = read[f"p{number}"]
            window = read.reading.slowest, read.reading.fastest
            fits = fit_models(rule_models(trials, RULE_MODELS, *window), trials, tables, seed)
            likelihood = np.array([fits[name].log_likelihood for name in RULE_MODELS])
            own = likelihood[RULE_MODELS.index(LIKE[truth])]
            gains.append((own - likelihood) / len(trials))
            best.append(fits.best.name)
            trials_of.append(len(trials))
        mean, error = np.mean(gains, axis=0), np.std(gains, axis=0, ddof=1) / participants**0.5
        shown = f"{truth} | {participants} x {np.mean(trials_of):.0f}"
        for name, nats, se in zip(RULE_MODELS, mean, error, strict=True):
            own = name == LIKE[truth]
            words = "" if own else f"{nats:+.4f} ± {se:.4f}"
            print(f"| {shown} | {name} | {best.count(name)} | {words} |", flush=True)
    print(f"\n{time.process_time():.0f} s of processor time")


def steps(seed, paths=20_000):
    """Print what the length of steps does to answers and times of the most abrupt rules."""
    layout = (1.0,) * 4 + (0.3,) * 4
    k, j = (int(np.abs(LEVELS - level).argmin()) for level in (1.0, 2.0))
    print(
        "| rule | longest step (nats) | false alarms | misses, bright | misses, faint | log time |"
    )
    print("|---|---|---|---|---|---|")
    for name in ("a-sprt", "hardmax-per-location"):
        for coarseness in (0.12, 0.25, 0.5, 1.0):
            made = make_rule_passages(RULES[name], layout, paths, seed, coarseness=coarseness)
            cells = [[table.answers(h)[:, k, j] for h in range(4)] for table in made]
            wrong = [np.array(each)[:, 0 if n else 1] for n, each in enumerate(cells)]
            bins = np.arange(made[0].counts.shape[-1]) * 0.05
            wrong.append(np.array([made[0].laws(h)[0, k, j] @ bins for h in range(4)]))
            words = [f"{x.mean():.4f} ± {x.std(ddof=1) / 2:.4f}" for x in wrong]
            print(f"| {name} | {coarseness:g} | " + " | ".join(words) + " |")


def scales(design, seed, n=60_000):
    """Print what other scales of a-SPRT cost than those of the law, on common trials."""
    block = next(block for block in design.blocks if not block.practice)
    task, costs = task_of(design, block, design.layout.n_places), design.of_block(block, "costs")
    law = by_law(task, costs)
    base = po.simulate(task, law, n_trials=n, seed=seed).losses(costs)
    print(f"risk {base.mean():.4f}\n")
    print("| lower scale over the law | upper | risk, less that of the law |")
    print("|---|---|---|")
    for lower, upper in ((0.7, 1), (1.4, 1), (np.inf, 1), (1, 0.7), (1, 2), (1, np.inf)):
        moved = replace(law, a_minus=lower * law.a_minus, a_plus=upper * law.a_plus)
        more = po.simulate(task, moved, n_trials=n, seed=seed).losses(costs) - base
        print(f"| {lower:g} | {upper:g} | {more.mean():+.5f} ± {more.std() / n**0.5:.5f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--design", default=DESIGN)
    parser.add_argument(
        "--part", choices=("confusion", "steps", "scales", "export"), default="confusion"
    )
    parser.add_argument("--participants", type=int, default=4)
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--paths", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.part == "steps":
        steps(given.seed)
        return
    design = load_design(given.design)
    if given.part == "scales":
        scales(design, given.seed)
    elif given.part == "export":
        pools, random = outcomes(design, given.seed), np.random.default_rng(given.seed)
        people = range(given.participants)
        each = [export(design, pools["a-SPRT"], k, given.sessions, random) for k in people]
        pd.concat(each).to_csv(sys.stdout, index=False)
    else:
        confusion(design, given.participants, given.sessions, given.paths, given.seed)


if __name__ == "__main__":
    main()
