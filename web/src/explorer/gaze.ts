// Search with the eyes: displays of items at places, and the rules that say where gaze rests next.

import type { State } from "./state";

export type Place = readonly [number, number];

interface Layout {
  name: string;
  words: string;
  /** Places of the items, one unit apart, and of further gazes. */
  items: readonly Place[];
  more: readonly Place[];
}

const RING = Array.from({ length: 6 }, (_, k): Place => [Math.cos((k * Math.PI) / 3), Math.sin((k * Math.PI) / 3)]);
const BESIDE = [-2, -1, 0, 1, 2];
/** From the middle outwards: a rule that likes several places equally takes the first. */
const HEXAGON = BESIDE.flatMap((q) =>
  BESIDE.filter((r) => Math.abs(q + r) <= 2).map((r): Place => [q + r / 2, (Math.sqrt(3) / 2) * r]))
  .sort((a, b) => Math.round(1e6 * (Math.hypot(...a) - Math.hypot(...b))));

export const LAYOUTS: Readonly<Record<string, Layout>> = {
  line: { name: "line of 3", words: "Three items side by side; gaze rests at one of them.", items: [[0, 0], [1, 0], [2, 0]], more: [] },
  square: {
    name: "square of 4", words: "Four items; gaze rests at one of them or in the middle.",
    items: [[0, 0], [1, 0], [1, 1], [0, 1]], more: [[0.5, 0.5]],
  },
  ring: { name: "ring of 6", words: "Six items; gaze rests at one of them or in the middle. Rules by simulation.", items: RING, more: [[0, 0]] },
  hexagon: { name: "19 places", words: "A triangular lattice; gaze rests at an item. Rules by simulation.", items: HEXAGON, more: [] },
};

/** Layouts whose optimum is computed while the reader waits. */
const EXACT = ["line", "square"];

/** Where the eyes rest, the optimum first. */
export const GAZE_RULES = ["optimal", "map", "elm", "ideal", "random"];

export const isGaze = (state: State): boolean => state.evidence === "gaze";

/** Whether the optimum is known for this display. */
export const isExact = (state: State): boolean => EXACT.includes(state.layout);

/** Whether the best stopping for a rule of gaze is. */
export const isSolved = (state: State, rule: string): boolean => isExact(state) && rule !== "random";

export const itemsOf = (state: State): readonly Place[] => LAYOUTS[state.layout]!.items;

/** Degrees to four digits: a micrometre on a screen. */
const placed = (places: readonly Place[], spacing: number): number[][] =>
  places.map((place) => place.map((x) => Math.round(1e4 * spacing * x) / 1e4 + 0));

/** The task, as a task file has it. */
export function gazeTask(state: State): Record<string, unknown> {
  const { items, more } = LAYOUTS[state.layout]!;
  const { information, falloff, fixation, saccade, prior, spacing } = state;
  const gazes = more.length ? { gazes: placed([...items, ...more], spacing) } : {};
  return { kind: "gaze-search", items: placed(items, spacing), ...gazes, information, falloff, fixation, saccade, prior };
}
