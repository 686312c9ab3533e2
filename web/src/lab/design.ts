// What the server tells the participant's page; docs/web-api.md has the same in words.

import type { Pack } from "./words/english";

export interface Costs {
  time: number | [number, number];
  miss: number;
  false_alarm: number;
}

export interface Points {
  correct: number;
  miss: number;
  false_alarm: number;
  second: number;
}

export interface Block {
  name: string;
  practice: boolean;
  feedback: boolean;
  words: string;
  trials: number;
  costs: Costs;
  points: Points | null;
}

export interface Layout {
  kind: string;
  bar_length: number;
  bar_width: number;
  background: number;
  bar: number;
  /** How far from the centre anything is drawn, in degrees. */
  reach: number;
}

export interface Design {
  title: string;
  /** A tag such as `de` or `pt-BR`. */
  language: string;
  /** The design's own words, in place of those of its language's pack. */
  words: Partial<Pack>;
  /** Whom participants can ask; empty where the design does not say. */
  contact: string;
  consent: string;
  promise: string;
  instructions: string;
  debriefing: string;
  n_trials: number;
  minutes: number;
  participant_parameter: string | null;
  layout: Layout;
  timing: { fixation: number; time_limit: number; feedback: number; pause: number };
  keys: { present: string; absent: string };
  blocks: Block[];
  /** Whether phones and tablets may take part, and pixels that the shorter side of a screen must have. */
  phones: boolean;
  smallest_screen: number;
}

/** The design as it is shown before consent. */
export interface Study extends Design {
  /** Whether somebody new may come in; without the secret of the link nobody may. */
  door: "open" | "full" | "paused" | "link";
}

export interface Item {
  place: number;
  x: number;
  y: number;
  orientation: number;
  contrast: number;
}

export interface TrialPlan {
  index: number;
  block: number;
  practice: boolean;
  set_size: number;
  present: boolean;
  target: number | null;
  items: Item[];
  is_check: boolean;
}

export type Answer = "present" | "absent";

/** One trial as it was made. */
export interface TrialRecord {
  index: number;
  response: Answer | null;
  rt: number | null;
  onset: number;
  frame_interval: number;
  dropped_frames: number;
  input: "key" | "touch" | "mouse" | null;
  full_screen: boolean;
  /** By the participant's clock, in seconds: another one after a reload. */
  page_began: number;
  /** How large the display was drawn; 1 is life size. */
  scale: number;
  /** Losses of the focus, and times that the page was hidden, since the trial before. */
  blurs: number;
  hides: number;
}

export interface Session {
  session: string;
  number: number;
  finished: boolean;
  design: Design;
  stored: number[];
  /** Of the trials that are stored and count. */
  points: number;
  trials: TrialPlan[];
}

export interface Screen {
  pixels_per_degree: number;
  width: number;
  height: number;
  pixel_ratio: number;
  frame_interval: number;
  touch: boolean;
  browser: string;
}

export interface ResultRow {
  set_size: number;
  present: boolean;
  trials: number;
  error_rate: number | null;
  mean_rt: number | null;
}

export interface Finish {
  /** Faster than trials can be done: no code before a researcher has accepted it. */
  withheld: boolean;
  completion_code: string | null;
  redirect: string | null;
  results: ResultRow[];
  points: number;
}

/** What an answer earns; nothing where the block has no points. */
export function pointsFor(block: Block, present: boolean, answer: Answer | null, rt: number | null, limit: number): number | null {
  const { points } = block;
  if (!points) return null;
  const right = answer === (present ? "present" : "absent");
  const earned = right ? points.correct : present ? points.miss : points.false_alarm;
  return earned + points.second * (rt ?? limit);
}
