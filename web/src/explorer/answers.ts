// What the server answers to the explorer's questions; docs/web-api.md has the same in words.

export interface ByClass<T> {
  present: T;
  absent: T;
}

export interface Curve {
  [axis: string]: number[];
}

export interface BoundaryAnswer extends ByClass<Curve> {
  strategy: string;
  plane: [number, number];
  others: number | null;
  risk: number | null;
  attention: null | { Z1: number[]; Z2: number[]; share: (number | null)[][] };
}

export interface SimulateAnswer {
  risk: number;
  risk_se: number;
  error_rate: ByClass<number>;
  error_rate_se: ByClass<number>;
  mean_rt: ByClass<number>;
  mean_rt_se: ByClass<number>;
  trials: number;
  undecided: number;
}

export interface Histogram extends ByClass<{ correct: number[]; error: number[] }> {
  edges: number[];
}

export interface WithHistogram extends SimulateAnswer {
  histogram: Histogram;
  /** Of a task with gazes: fixations in a trial, by class. */
  fixations?: Record<"fixations_present" | "fixations_present_se" | "fixations_absent" | "fixations_absent_se", number>;
}

export interface SolveAnswer {
  risk: number;
  risk_error: number;
}

export interface Fixation {
  /** The place, from 0, and where it is in degrees. */
  gaze: number;
  x: number;
  y: number;
  onset: number;
  duration: number;
  /** After it, the probability of every item to be the target. */
  likely: number[];
}

export interface SlopesAnswer {
  rows: (SimulateAnswer & { locations: number })[];
  slope: ByClass<number | null>;
}

export interface FrontierPoint {
  time_cost: number;
  mean_rt: number | ByClass<number>;
  error_rate: number | ByClass<number>;
  risk: number;
}

export interface FrontierAnswer {
  points: FrontierPoint[];
  chosen: number;
}

export interface ExampleTrial {
  present: boolean;
  target: number | null;
  response: "present" | "absent" | null;
  correct: boolean;
  rt: number;
  t: number[];
  Z: number[][];
  posterior: number[];
  shares: number[][] | null;
  fixations: Fixation[] | null;
}
