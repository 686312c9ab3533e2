// What the reader has chosen, and how it is written in the address.
//
// The address holds every choice that differs from the default, so that a link is a figure.

export type Evidence = "drift" | "information";

export interface State {
  evidence: Evidence;
  locations: number;
  drift: number;
  information: number;
  visibility: number;
  prior: number;
  time: number;
  miss: number;
  falseAlarm: number;
  dt: number;
  nonDecision: number;
  attention: string;
  strategy: string;
  others: number;
}

/** A quantity on a slider: the values it stops at, its unit and its words. */
export interface Quantity {
  key: keyof State & string;
  name: string;
  words: string;
  stops: readonly number[];
  show: (value: number) => string;
  /** Its entry in the glossary. */
  term: string;
}

const range = (low: number, high: number, step: number): number[] =>
  Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => Number((low + i * step).toPrecision(6)));

const COSTS_OF_ERRORS = [0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10];
const percent = (value: number): string => `${Math.round(100 * value)} %`;
const plain = (value: number): string => String(Number(value.toPrecision(3)));

/** Lower than this the other locations count as ruled out. */
export const RULED_OUT = -8;

export const QUANTITIES = {
  locations: {
    key: "locations",
    term: "set-size",
    name: "Set size",
    words: "Items on the display; at most one is the target.",
    stops: range(2, 16, 1),
    show: (value) => `${value} items`,
  },
  drift: {
    key: "drift",
    term: "drift",
    name: "Drift",
    words: "How fast evidence about one item grows: the higher, the easier.",
    stops: [1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 16],
    show: (value) => `${plain(value)} /s`,
  },
  information: {
    key: "information",
    term: "information",
    name: "Information",
    words: "Rate that attention divides among the items: the sum of their squared drifts.",
    stops: [8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256],
    show: (value) => `${plain(value)} /s`,
  },
  visibility: {
    key: "visibility",
    term: "information",
    name: "Visibility of every second item",
    words: "How much of the information these locations make use of, against the others.",
    stops: range(0.1, 1, 0.05),
    show: percent,
  },
  prior: {
    key: "prior",
    term: "prevalence",
    name: "Target present",
    words: "Share of the trials that have a target.",
    stops: range(0.05, 0.95, 0.05),
    show: percent,
  },
  time: {
    key: "time",
    term: "cost-of-time",
    name: "Cost of a second",
    words: "In units of one error: at 0.2, five seconds cost as much as a mistake.",
    stops: [0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2],
    show: plain,
  },
  miss: {
    key: "miss",
    term: "hit-miss",
    name: "Cost of a miss",
    words: "Of saying “absent” to a target.",
    stops: COSTS_OF_ERRORS,
    show: plain,
  },
  falseAlarm: {
    key: "falseAlarm",
    term: "false-alarm",
    name: "Cost of a false alarm",
    words: "Of saying “present” to none.",
    stops: COSTS_OF_ERRORS,
    show: plain,
  },
  dt: {
    key: "dt",
    term: "step-dt",
    name: "Time step",
    words: "Between two looks at the evidence.",
    stops: [0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05],
    show: (value) => `${plain(1000 * value)} ms`,
  },
  nonDecision: {
    key: "nonDecision",
    term: "non-decision-time",
    name: "Non-decision time",
    words: "Seeing the display and pressing the key: added to every response time, and no part of the risk.",
    stops: range(0, 0.6, 0.05),
    show: (value) => `${plain(1000 * value)} ms`,
  },
  others: {
    key: "others",
    term: "log-likelihood-ratio-log-odds",
    name: "The other items",
    words: "Evidence at every location outside the plane, in nats.",
    stops: range(RULED_OUT, 2, 0.5),
    show: (value) => (value <= RULED_OUT ? "ruled out" : `${plain(value).replace("-", "−")} nats`),
  },
} as const satisfies Record<string, Quantity>;

export const STRATEGIES = ["optimal", "a-sprt", "sprt-opt", "sprt", "hardmax"];
export const STOPPING = ["optimal", "sprt-opt", "sprt"];
/** Strategies with free parameters: these are tuned first, which takes seconds. */
export const TUNED = ["a-sprt", "sprt-opt"];
export const ATTENTION = ["optimal", "serial", "guided", "parallel"];

export const DEFAULTS: Readonly<State> = {
  evidence: "drift",
  locations: 2,
  drift: 4,
  information: 32,
  visibility: 1,
  prior: 0.5,
  time: 0.2,
  miss: 1,
  falseAlarm: 1,
  dt: 0.01,
  nonDecision: 0.3,
  attention: "serial",
  strategy: "optimal",
  others: RULED_OUT,
};

/** How much the page simulates; what is copied from it says the same. */
/** For each of the nine points of the frontier, which share their noise. */
export const FRONTIER_TRIALS = 5_000;
export const TRIALS = { trials: 10_000, tune_trials: 2_000, seed: 1 };

/** Most locations for which the optimum is computed while the reader waits. */
export const MOST_SOLVED = 3;

const NAMES: Readonly<Record<keyof State, string>> = {
  evidence: "evidence",
  locations: "locations",
  drift: "drift",
  information: "information",
  visibility: "visibility",
  prior: "prior",
  time: "time-cost",
  miss: "miss",
  falseAlarm: "false-alarm",
  dt: "dt",
  nonDecision: "non-decision",
  attention: "attention",
  strategy: "strategy",
  others: "others",
};

/** The query of the address: every choice that differs from the default. */
export function toAddress(state: State): string {
  const query = new URLSearchParams();
  for (const key of Object.keys(NAMES) as (keyof State)[]) {
    if (state[key] !== DEFAULTS[key]) query.set(NAMES[key], String(state[key]));
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}

/** Read the query of an address; what is missing or makes no sense is as by default. */
export function fromAddress(query: string): State {
  const given = new URLSearchParams(query);
  const state: State = { ...DEFAULTS };
  for (const quantity of Object.values(QUANTITIES)) {
    const text = given.get(NAMES[quantity.key]);
    const value = text === null || text.trim() === "" ? NaN : Number(text);
    if (!Number.isFinite(value)) continue;
    const low = Math.min(...quantity.stops);
    const high = Math.max(...quantity.stops);
    const within = Math.min(high, Math.max(low, value));
    state[quantity.key] = quantity.key === "locations" ? Math.round(within) : within;
  }
  if (given.get(NAMES.evidence) === "information") state.evidence = "information";
  for (const [key, known] of [["attention", ATTENTION], ["strategy", STRATEGIES]] as const) {
    const text = given.get(NAMES[key]);
    if (text !== null && known.includes(text)) state[key] = text;
  }
  return state;
}

/** Which strategies can be had, and in words why the others cannot. */
export function strategiesFor(state: State): { name: string; why: string }[] {
  const limited = state.evidence === "information";
  return (limited ? STOPPING : STRATEGIES).map((name) => ({
    name,
    why:
      name === "optimal" && state.locations > MOST_SOLVED
        ? `the exact optimum is for up to ${MOST_SOLVED} items here`
        : "",
  }));
}

/** Which attention policies can be had. */
export function attentionFor(state: State): { name: string; why: string }[] {
  return ATTENTION.map((name) => ({
    name,
    why:
      name === "optimal" && state.locations > MOST_SOLVED
        ? `the best attention is known for up to ${MOST_SOLVED} items here`
        : "",
  }));
}

/** The choices that can be had together: what cannot gives way to the closest thing that can. */
export function effective(state: State): State {
  const limited = state.evidence === "information";
  let { strategy, attention } = state;
  if (state.locations > MOST_SOLVED) {
    if (strategy === "optimal") strategy = "sprt";
    if (attention === "optimal") attention = "serial";
  }
  if (limited && !STOPPING.includes(strategy)) strategy = "sprt";
  if (limited && attention === "optimal") strategy = "optimal";
  return { ...state, strategy, attention };
}

function byLocation(state: State, value: (share: number) => number): number | number[] {
  if (state.visibility === 1) return value(1);
  return Array.from({ length: state.locations }, (_, place) => value(place % 2 ? state.visibility : 1));
}

const rounded = (value: number): number => Number(value.toPrecision(6));

/** The task, as a task file has it. */
export function taskOf(state: State): Record<string, unknown> {
  const common = { dt: state.dt, prior: state.prior };
  if (state.evidence === "information") {
    const visibility = byLocation(state, (share) => share);
    return {
      kind: "limited-search", n_locations: state.locations, information: state.information, visibility, ...common,
    };
  }
  const drift = byLocation(state, (share) => rounded(state.drift * Math.sqrt(share)));
  return { kind: "search", n_locations: state.locations, drift, ...common };
}

/** The costs, as a task file has them. */
export function costsOf(state: State): Record<string, number> {
  return { time: state.time, miss: state.miss, false_alarm: state.falseAlarm };
}
