// The same problem for other tools: Python, the command line, a task file.

import { costsOf, effective, taskOf, type State } from "./state";

type Value = string | number | readonly number[];

const TRIALS = 20_000;

function python(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return String(value);
  return `(${value.join(", ")})`;
}

function keywords(table: Record<string, unknown>): string {
  return Object.entries(table)
    .filter(([name]) => name !== "kind")
    .map(([name, value]) => `${name}=${python(value as Value)}`)
    .join(", ");
}

/** A script that computes what the page shows. */
export function asPython(chosen: State): string {
  const state = effective(chosen);
  const lines = ["import popout as po"];
  const costs = `costs = po.Costs(${keywords(costsOf(state))})`;
  if (state.evidence === "information") {
    lines.push(
      "from popout.analysis.stopping import make_joint",
      "",
      `task = po.LimitedSearchTask(${keywords(taskOf(state))})`,
      costs,
      `observer = make_joint(task, costs, ${python(state.attention)}, ${python(state.strategy)}, n_trials=5_000, seed=1)`,
      `pair = po.Observer(observer.attention, observer.strategy)`,
      `trials = po.simulate(task, pair, ${TRIALS}, seed=1)`,
    );
  } else {
    lines.push("", `task = po.SearchTask(${keywords(taskOf(state))})`, costs);
    lines.push(
      `trials = po.simulate(task, ${python(state.strategy)}, ${TRIALS}, seed=1, costs=costs, tune_trials=5_000)`,
    );
  }
  lines.push("print(trials.summary(costs))");
  return `${lines.join("\n")}\n`;
}

/** A command that prints what the page shows. */
export function asCommand(chosen: State): string {
  const state = effective(chosen);
  const task = taskOf(state);
  const list = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value));
  const words = ["popout simulate", `--strategy ${state.strategy}`];
  if (state.evidence === "information") {
    words.push(`--information ${state.information}`, `--attention ${state.attention}`);
    words.push(`--visibility ${list(task["visibility"])}`);
  } else {
    words.push(`--drift ${list(task["drift"])}`);
  }
  words.push(`--locations ${state.locations}`, `--time-cost ${state.time}`);
  words.push(`--miss ${state.miss}`, `--false-alarm ${state.falseAlarm}`);
  words.push(`--prior ${state.prior}`, `--dt ${state.dt}`);
  words.push(`--trials ${TRIALS}`, "--tune-trials 5000", "--seed 1");
  return `${words.join(" ")}\n`;
}

/** A task file, for `popout analyse` and the rest. */
export function asToml(state: State): string {
  const line = ([name, value]: [string, unknown]): string => {
    const text = Array.isArray(value) ? `[${value.join(", ")}]` : JSON.stringify(value);
    return `${name} = ${text}`;
  };
  const task = Object.entries(taskOf(state)).map(line);
  const costs = Object.entries(costsOf(state)).map(line);
  return `${[...task, "", "[costs]", ...costs].join("\n")}\n`;
}
