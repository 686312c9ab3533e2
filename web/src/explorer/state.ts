// What the reader has chosen, and how it is written in the address.
//
// The address holds every choice that differs from the default, so that a link is a figure.

import { GAZE_RULES, gazeTask, isExact, isGaze, isSolved, itemsOf, LAYOUTS } from "./gaze";

export type Evidence = "drift" | "information" | "gaze";

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
  layout: string;
  spacing: number;
  falloff: number;
  fixation: number;
  saccade: number;
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
const milliseconds = (value: number): string => `${plain(1000 * value)} ms`;
const degrees = (value: number): string => `${plain(value)}°`;

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
    words: "A rate, a squared drift: what attention divides among the items, or an item gets at the point of gaze.",
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
    show: milliseconds,
  },
  nonDecision: {
    key: "nonDecision",
    term: "non-decision-time",
    name: "Non-decision time",
    words: "Seeing the display and pressing the key: added to every response time, and no part of the risk.",
    stops: range(0, 0.6, 0.05),
    show: milliseconds,
  },
  others: {
    key: "others",
    term: "log-likelihood-ratio-log-odds",
    name: "The other items",
    words: "Evidence at every location outside the plane, in nats.",
    stops: range(RULED_OUT, 2, 0.5),
    show: (value) => (value <= RULED_OUT ? "ruled out" : `${plain(value).replace("-", "−")} nats`),
  },
  spacing: {
    key: "spacing",
    term: "eccentricity",
    name: "Spacing",
    words: "From an item to its neighbour, in degrees of visual angle.",
    stops: [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6],
    show: degrees,
  },
  falloff: {
    key: "falloff",
    term: "eccentricity",
    name: "Fall-off with eccentricity",
    words: "Information falls as exp(−e/e₀) at e degrees from gaze; this is e₀.",
    stops: [0.3, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 12],
    show: degrees,
  },
  fixation: {
    key: "fixation",
    term: "fixation",
    name: "Fixation",
    words: "How long gaze rests before it moves, or the observer answers.",
    stops: [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5],
    show: milliseconds,
  },
  saccade: {
    key: "saccade",
    term: "saccade",
    name: "Saccade",
    words: "How long gaze takes to the next place; nothing is seen on the way.",
    stops: [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1],
    show: milliseconds,
  },
} as const satisfies Record<string, Quantity>;

export const EVIDENCE: readonly Evidence[] = ["drift", "information", "gaze"];
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
  layout: "line",
  spacing: 1,
  falloff: 0.8,
  fixation: 0.2,
  saccade: 0.03,
};

/** The frontier: few points, which share their noise; of an optimum that is a little off nobody loses a thousandth. */
export const FRONTIER = { points: 7, trials: 5_000, rtol: 0.05 };
/** How much the page simulates; what is copied from it says the same. */
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
  layout: "layout",
  spacing: "spacing",
  falloff: "falloff",
  fixation: "fixation",
  saccade: "saccade",
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
  const known = { evidence: EVIDENCE, attention: [...ATTENTION, ...GAZE_RULES], strategy: STRATEGIES, layout: Object.keys(LAYOUTS) };
  for (const key of Object.keys(known) as (keyof typeof known)[]) {
    const text = given.get(NAMES[key]);
    if (text !== null && (known[key] as readonly string[]).includes(text)) state[key] = text as never;
  }
  return state;
}

/** Why the optimum cannot be had, in words; empty where it can. */
function whyNotOptimal(state: State, what: string): string {
  if (isGaze(state)) return isExact(state) ? "" : `${what} is for the line and the square here`;
  return state.locations > MOST_SOLVED ? `${what} is for up to ${MOST_SOLVED} items here` : "";
}

/** Which strategies can be had, and in words why the others cannot. */
export function strategiesFor(state: State): { name: string; why: string }[] {
  const known = state.evidence === "drift" ? STRATEGIES : STOPPING;
  const byLuck = isGaze(state) && isExact(state) && effective(state).attention === "random";
  const why = byLuck ? "the exact optimum is for gaze that goes by the evidence" : whyNotOptimal(state, "the exact optimum");
  return known.map((name) => ({ name, why: name === "optimal" ? why : "" }));
}

/** Which attention policies can be had, or rules of gaze. */
export function attentionFor(state: State): { name: string; why: string }[] {
  const what = isGaze(state) ? "the best gaze" : "the best attention";
  return (isGaze(state) ? GAZE_RULES : ATTENTION).map((name) => ({
    name,
    why: name === "optimal" ? whyNotOptimal(state, what) : "",
  }));
}

/** The choices that can be had together: what cannot gives way to the closest thing that can. */
export function effective(state: State): State {
  if (isGaze(state)) return effectiveGaze(state);
  const limited = state.evidence === "information";
  let { strategy, attention } = state;
  if (!ATTENTION.includes(attention)) attention = DEFAULTS.attention;
  if (state.locations > MOST_SOLVED) {
    if (strategy === "optimal") strategy = "sprt";
    if (attention === "optimal") attention = "serial";
  }
  if (limited && !STOPPING.includes(strategy)) strategy = "sprt";
  if (limited && attention === "optimal") strategy = "optimal";
  return { ...state, strategy, attention };
}

/** The same for gaze: the best there is, unless the reader has chosen; tuned thresholds take no time here. */
function effectiveGaze(state: State): State {
  const exact = isExact(state);
  let { strategy, attention } = state;
  if (!GAZE_RULES.includes(attention)) attention = "optimal";
  if (attention === "optimal" && !exact) attention = "elm";
  if (!STOPPING.includes(strategy)) strategy = "optimal";
  if (strategy === "optimal" && !isSolved(state, attention)) strategy = "sprt-opt";
  if (attention === "optimal") strategy = "optimal";
  return { ...state, strategy, attention, locations: itemsOf(state).length };
}

function byLocation(state: State, value: (share: number) => number): number | number[] {
  if (state.visibility === 1) return value(1);
  return Array.from({ length: state.locations }, (_, place) => value(place % 2 ? state.visibility : 1));
}

const rounded = (value: number): number => Number(value.toPrecision(6));

/** The task, as a task file has it. */
export function taskOf(state: State): Record<string, unknown> {
  if (isGaze(state)) return gazeTask(state);
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
