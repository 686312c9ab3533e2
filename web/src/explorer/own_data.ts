// The reader's own trials, beside those that are computed. The file is read in the browser and goes nowhere.

import { CLASSES, type Class } from "./drawing";

export interface OwnTrial {
  size: number;
  side: Class;
  correct: boolean;
  /** Seconds. */
  rt: number;
}

/** Trials of one set size and class, in short. */
export interface OwnCell {
  size: number;
  side: Class;
  trials: number;
  mean: number;
  errors: number;
}

/** What is wrong with a file, in words. */
export class FileFault extends Error {}

const COLUMNS = {
  size: ["set_size", "setsize", "set size", "n_items", "nitems", "items", "display_size"],
  present: ["present", "target_present", "target", "targetpresent"],
  rt: ["rt", "reaction_time", "response_time", "reactiontime", "responsetime"],
  response: ["response", "answer", "key"],
  correct: ["correct", "accuracy", "acc"],
  practice: ["practice"],
} as const;
const YES = ["1", "true", "yes", "present", "p", "t"];
const NO = ["0", "false", "no", "absent", "a", "f"];
/** Response times with a median above this many are milliseconds. */
const MOST_SECONDS = 30;

export class OwnData {
  readonly cells: OwnCell[];
  readonly sizes: number[];

  constructor(
    readonly name: string,
    readonly trials: readonly OwnTrial[],
  ) {
    this.sizes = [...new Set(trials.map((trial) => trial.size))].sort((a, b) => a - b);
    this.cells = this.sizes.flatMap((size) => CLASSES.flatMap((side) => cell(size, side, this.of(size, side))));
  }

  /** The trials of a set size and class. */
  of(size: number, side: Class): OwnTrial[] {
    return this.trials.filter((trial) => trial.size === size && trial.side === side);
  }

  at(size: number): OwnCell[] {
    return this.cells.filter((each) => each.size === size);
  }
}

function cell(size: number, side: Class, trials: OwnTrial[]): OwnCell[] {
  const n = trials.length;
  if (n === 0) return [];
  const mean = trials.reduce((sum, trial) => sum + trial.rt, 0) / n;
  return [{ size, side, trials: n, mean, errors: trials.filter((trial) => !trial.correct).length / n }];
}

/** Read a table with commas, semicolons or tabs. Practice and trials without an answer are left out. */
export function readOwnData(name: string, text: string): OwnData {
  const delimiter = [",", ";", "\t"].reduce((best, each) => (countIn(text, each) > countIn(text, best) ? each : best));
  const [head = [], ...lines] = rowsOf(text.replace(/^\uFEFF/, ""), delimiter);
  const names = head.map((cell) => cell.trim().toLowerCase());
  const at = (role: keyof typeof COLUMNS): number => names.findIndex((name) => (COLUMNS[role] as readonly string[]).includes(name));
  const missing = (["size", "present", "rt"] as const).filter((role) => at(role) < 0).map((role) => COLUMNS[role][0] as string);
  if (at("response") < 0 && at("correct") < 0) missing.push("response or correct");
  if (missing.length > 0) {
    throw new FileFault(`${name}: expected a line of trials with ${missing.join(", ")}; got the columns ${names.join(", ").slice(0, 200) || "of an empty file"}.`);
  }
  const number = (cell: string | undefined): number => Number((delimiter === ";" ? cell?.replace(",", ".") : cell)?.trim() || NaN);
  const isYes = (cell: string | undefined): boolean | null => {
    const word = (cell ?? "").trim().toLowerCase().replace(/\.0+$/, "");
    return YES.includes(word) ? true : NO.includes(word) ? false : null;
  };
  const says = answersOf(lines.map((line) => [(line[at("response")] ?? "").trim().toLowerCase(), isYes(line[at("present")])]), isYes);
  const trials = lines.flatMap((line): OwnTrial[] => {
    const [size, rt, present] = [number(line[at("size")]), number(line[at("rt")]), isYes(line[at("present")])];
    const correct = at("correct") >= 0 ? isYes(line[at("correct")]) : null;
    const response = at("response") >= 0 ? says((line[at("response")] ?? "").trim().toLowerCase()) : null;
    const right = correct ?? (response === null ? null : response === present);
    const isAnswered = at("response") < 0 || (line[at("response")] ?? "").trim() !== "";
    if (isYes(line[at("practice")]) === true || !isAnswered || present === null || right === null || !(size >= 1) || !(rt > 0)) return [];
    return [{ size, side: present ? "present" : "absent", correct: right, rt }];
  });
  if (trials.length === 0) throw new FileFault(`${name}: expected trials with numbers and answers; none of ${lines.length} lines has them.`);
  const sorted = trials.map((trial) => trial.rt).sort((a, b) => a - b);
  const scale = sorted[sorted.length >> 1]! > MOST_SECONDS ? 1 / 1000 : 1;
  return new OwnData(name, trials.map((trial) => ({ ...trial, rt: scale * trial.rt })));
}

/** What a response means: in words, or one of two keys, of which each is mostly right. */
function answersOf(given: [string, boolean | null][], isYes: (cell: string) => boolean | null): (response: string) => boolean | null {
  const keys = [...new Set(given.map(([response]) => response))].filter((response) => response !== "");
  if (keys.length !== 2 || keys.some((key) => isYes(key) !== null && key.length > 1)) return isYes;
  const [first] = keys;
  const agreeing = given.filter(([response, present]) => response !== "" && (response === first) === present).length;
  const isFirstPresent = 2 * agreeing >= given.filter(([response]) => response !== "").length;
  return (response) => (response === "" ? null : (response === first) === isFirstPresent);
}

function countIn(text: string, character: string): number {
  return text.slice(0, text.indexOf("\n") >>> 0).split(character).length;
}

/** The cells of a table; quotation marks hold a cell together, and two of them are one. */
function rowsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = (): void => {
    row.push(cell);
    cell = "";
  };
  const endRow = (): void => {
    endCell();
    if (row.some((each) => each !== "")) rows.push(row);
    row = [];
  };
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') cell += text[(i += 1)];
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === delimiter) endCell();
    else if (character === "\n") endRow();
    else if (character !== "\r") cell += character;
  }
  endRow();
  return rows;
}
