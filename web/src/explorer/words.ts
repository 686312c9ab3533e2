// The same problem for other tools: Python, the command line, a task file.

import { isGaze } from "./gaze";
import { costsOf, effective, taskOf, TRIALS, type State } from "./state";

type Value = string | number | readonly Value[];

/** Relative accuracy of the risk to which the page solves. */
const RTOL = 0.01;
const POLICIES: Record<string, string> = {
  serial: "po.Serial", guided: "po.Guided", parallel: "po.Parallel", map: "po.MAP", elm: "po.ELM", ideal: "po.IdealSearcher",
};
const KINDS: Record<string, string> = { drift: "SearchTask", information: "LimitedSearchTask", gaze: "GazeTask" };

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, "_");

function python(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return String(value);
  return `(${value.map(python).join(", ")})`;
}

function keywords(table: Record<string, unknown>): string {
  return Object.entries(table)
    .filter(([name]) => name !== "kind")
    .map(([name, value]) => `${name}=${python(value as Value)}`)
    .join(", ");
}

/** A script that computes the numbers that the page shows. */
export function asPython(chosen: State): string {
  const state = effective(chosen);
  const limited = state.evidence !== "drift";
  const kind = KINDS[state.evidence];
  const how = [`${grouped(TRIALS.trials)}, seed=${TRIALS.seed}`];
  const lines = ["import popout as po", "", `task = po.${kind}(`, `    ${keywords(taskOf(state))}`, ")", `costs = po.Costs(${keywords(costsOf(state))})`];
  let observer = python(state.strategy);
  if (state.strategy === "optimal") {
    const policy = limited && state.attention !== "optimal" ? `, attention=${POLICIES[state.attention]}` : "";
    lines.push(`best = po.solve(task, costs, rtol=${RTOL}${policy})`);
    observer = limited ? "po.Observer(best.attention, best.strategy)" : "best.strategy";
  } else {
    how.push("costs=costs", `tune_trials=${grouped(TRIALS.tune_trials)}`);
    if (limited) how.push(`attention=${python(state.attention)}`);
  }
  const fixations = isGaze(state) ? ["print(trials.fixations)"] : [];
  return `${[
    ...lines,
    `trials = po.simulate(task, ${observer}, ${how.join(", ")})`,
    "summary = trials.summary(costs)",
    "print(summary)",
    ...fixations,
    `rest = ${state.nonDecision}  # seconds of non-decision time, which the page adds`,
    "for side in (summary.present, summary.absent):",
    '    print(f"{1000 * (side.mean_rt + rest):.0f} ms, {100 * side.error_rate:.1f} % errors")',
  ].join("\n")}\n`;
}

/** A command that prints what the page shows. */
export function asCommand(chosen: State): string {
  const state = effective(chosen);
  const task = taskOf(state);
  const list = (value: unknown): string => (Array.isArray(value) ? value.map((each) => (Array.isArray(each) ? each.join(":") : each)).join(",") : String(value));
  const words = ["popout simulate", `--strategy ${state.strategy}`];
  if (isGaze(state)) {
    for (const name of ["items", "gazes", "information", "falloff", "fixation", "saccade"]) {
      if (name in task) words.push(`--${name}=${list(task[name])}`);
    }
    words.push(`--attention ${state.attention}`);
  } else if (state.evidence === "information") {
    words.push(`--information ${state.information}`, `--attention ${state.attention}`);
    words.push(`--visibility ${list(task["visibility"])}`);
  } else {
    words.push(`--drift ${list(task["drift"])}`);
  }
  if (!isGaze(state)) words.push(`--locations ${state.locations}`, `--dt ${state.dt}`);
  words.push(`--time-cost ${state.time}`, `--miss ${state.miss}`, `--false-alarm ${state.falseAlarm}`, `--prior ${state.prior}`);
  words.push(`--trials ${TRIALS.trials}`, `--tune-trials ${TRIALS.tune_trials}`, `--seed ${TRIALS.seed}`);
  return `${words.join(" ")}\n`;
}

/** A task file, for `popout analyse` and the rest. */
export function asToml(state: State): string {
  const line = ([name, value]: [string, unknown]): string => {
    return `${name} = ${JSON.stringify(value).replaceAll(",", ", ")}`;
  };
  const task = Object.entries(taskOf(state)).map(line);
  const costs = Object.entries(costsOf(state)).map(line);
  return `${[...task, "", "[costs]", ...costs].join("\n")}\n`;
}
