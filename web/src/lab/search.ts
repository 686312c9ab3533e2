// One trial of visual search, as a plugin of jsPsych: fixation, display until the answer, feedback.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { h } from "../dom";
import { pointsFor, type Answer, type Block, type Design, type TrialPlan, type TrialRecord } from "./design";
import { Board, fitted, grey } from "./display";
import { dropped, FrameWatch, median, nextFrame } from "./frames";
import { answerOf, keyName } from "./keys";
import { isTouch, lookedAway } from "./surroundings";
import { number, say } from "./words/speech";

/** Frames that the server takes; a computer that slept for a night has dropped more. */
const MOST_DROPPED = 1_000_000;

/** What all trials of a session share. */
export interface Stage {
  design: Design;
  /** Pixels for one degree, in life size. */
  scale: number;
  /** The usual interval between frames, in milliseconds. */
  interval: number;
  /** Keeps the record; the next trial waits for it. Points are those that count. */
  keep: (record: TrialRecord, points: number | null) => Promise<void>;
}

const info = {
  name: "visual-search",
  version: "1.0.0",
  parameters: {
    plan: { type: ParameterType.OBJECT, default: undefined },
    stage: { type: ParameterType.OBJECT, default: undefined },
  },
  data: {
    index: { type: ParameterType.INT },
    response: { type: ParameterType.STRING },
    rt: { type: ParameterType.FLOAT },
  },
} as const;

interface Response {
  answer: Answer | null;
  at: number | null;
  input: TrialRecord["input"];
  /** Whether keys were pressed that give no answer. */
  strayed: boolean;
}

export class SearchPlugin implements JsPsychPlugin<typeof info> {
  static info = info;

  constructor(readonly jsPsych: JsPsych) {}

  async trial(element: HTMLElement, parameters: TrialType<typeof info>): Promise<TrialRecord> {
    const plan = parameters.plan as TrialPlan;
    const stage = parameters.stage as Stage;
    return runTrial(element, plan, stage);
  }
}

async function runTrial(element: HTMLElement, plan: TrialPlan, stage: Stage): Promise<TrialRecord> {
  const { design } = stage;
  const block = design.blocks[plan.block]!;
  const view = new View(plan, stage);
  element.replaceChildren(view.element);
  view.fit();

  const watch = new FrameWatch();
  view.board.fixation();
  await framesUntil(1000 * design.timing.fixation, stage.interval);

  view.board.show(plan.items);
  const drawn = watch.times.length;
  const onset = await nextFrame();
  const answered = answer(view, design, onset); // before anybody is told, who may answer at once
  announce(plan.index, onset);
  const { scale } = view.board;
  const response = await answered;
  watch.stop();

  const frames = watch.times.slice(Math.max(0, drawn - 1));
  const intervals = watch.times.slice(1).map((time, i) => time - watch.times[i]!);
  const interval = intervals.length >= 8 ? median(intervals) : stage.interval;
  const rt = response.at === null ? null : (response.at - onset) / 1000;
  const record: TrialRecord = {
    index: plan.index,
    response: response.answer,
    rt,
    onset: onset / 1000,
    frame_interval: interval / 1000,
    dropped_frames: Math.min(dropped(frames, interval), MOST_DROPPED),
    input: response.input,
    full_screen: document.fullscreenElement !== null,
    page_began: performance.timeOrigin / 1000,
    scale: scale / stage.scale,
    ...lookedAway(),
  };
  view.board.clear();
  const points = pointsFor(block, plan.present, record.response, rt, design.timing.time_limit);
  const kept = stage.keep(record, plan.practice ? null : points);
  if (block.feedback && design.timing.feedback > 0) {
    view.feedback(response, points);
    await framesUntil(1000 * design.timing.feedback, stage.interval);
  }
  view.quiet();
  await framesUntil(1000 * design.timing.pause, stage.interval);
  await kept;
  return record;
}

/** Let some milliseconds pass, to the closest frame. */
async function framesUntil(milliseconds: number, interval: number): Promise<void> {
  const first = await nextFrame();
  let now = first;
  while (now - first < milliseconds - interval / 2) now = await nextFrame();
}

/** Tell whoever listens, such as a test or a trigger of a laboratory's equipment. */
function announce(index: number, onset: number): void {
  document.dispatchEvent(new CustomEvent("popout-onset", { detail: { index, onset } }));
}

/** Wait for the first answer after the onset, or for the time limit. */
function answer(view: View, design: Design, onset: number): Promise<Response> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const limit = 1000 * design.timing.time_limit;
    let strayed = false;
    const end = (response: Omit<Response, "strayed">): void => {
      stop.abort();
      resolve({ ...response, strayed });
    };
    const given = (choice: Answer, event: Event, input: TrialRecord["input"]): void => {
      // A computer that slept wakes up with a key before its next frame.
      if (event.timeStamp > onset + limit) end({ answer: null, at: null, input: null });
      else if (event.timeStamp >= onset) end({ answer: choice, at: event.timeStamp, input });
    };
    const key = (event: KeyboardEvent): void => {
      if (event.repeat) return;
      const choice = answerOf(event, design.keys);
      if (choice) given(choice, event, "key");
      else strayed = true;
    };
    document.addEventListener("keydown", key, { signal: stop.signal });
    for (const [choice, button] of view.buttons) {
      const press = (event: PointerEvent): void => given(choice, event, event.pointerType === "mouse" ? "mouse" : "touch");
      button.addEventListener("pointerdown", press, { signal: stop.signal });
    }
    const watch = (now: number): void => {
      if (stop.signal.aborted) return;
      if (now - onset >= limit) end({ answer: null, at: null, input: null });
      else requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
    addEventListener("resize", () => view.again(), { signal: stop.signal });
  });
}

/** Height of the two buttons that touch screens have in place of keys. */
const BUTTONS = 96;

/** How much of the height is there for the display. */
function roomFor(height: number): number {
  return height - (isTouch() ? BUTTONS : 0);
}

/** Where a key is on the keyboard, from left to right: buttons stand in the order of the keys. */
function column(key: string): number {
  if (key === "ArrowRight") return 20;
  const rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
  return Math.max(...rows.map((row) => row.indexOf(key.toLowerCase())));
}

/** The canvas, the two buttons of touch screens, and the feedback. */
class View {
  readonly board: Board;
  readonly element: HTMLElement;
  readonly buttons: [Answer, HTMLButtonElement][];
  private readonly words = h("p", { class: "feedback", role: "status" });

  constructor(
    private readonly plan: TrialPlan,
    private readonly stage: Stage,
  ) {
    const { design } = stage;
    this.board = new Board(design.layout, stage.scale);
    const choices: Answer[] = ["absent", "present"];
    const order = choices.sort((a, b) => column(design.keys[a]) - column(design.keys[b]));
    this.buttons = isTouch() ? order.map((choice) => [choice, h("button", { type: "button", class: `answer ${choice}` }, say(choice))]) : [];
    const pads = this.buttons.length ? h("div", { class: "answers" }, ...this.buttons.map(([, button]) => button)) : null;
    this.element = h("div", { class: "trial" }, this.board.canvas, this.words, pads);
    this.element.style.background = grey(design.layout.background);
  }

  fit(): void {
    const width = this.element.clientWidth;
    const height = roomFor(this.element.clientHeight);
    this.board.fit(width, height, fitted(this.stage.scale, this.stage.design.layout.reach, width, height));
    this.board.clear();
  }

  /** Draw the display again, in a window of another size. */
  again(): void {
    this.fit();
    this.board.show(this.plan.items);
  }

  feedback({ answer: given, strayed }: Response, points: number | null): void {
    const { keys } = this.stage.design;
    const right = given === (this.plan.present ? "present" : "absent");
    const verdict = say(given === null ? "too_slow" : right ? "correct" : "wrong");
    // Whoever presses other keys again and again would otherwise never hear why nothing counts.
    const hint = given === null && strayed ? `\n${say("which_keys", { present: keyName(keys.present), absent: keyName(keys.absent) })}` : "";
    const earned = points === null ? "" : `  ${signed(points)}`;
    this.words.className = `feedback ${right ? "right" : "wrong"}`;
    this.words.textContent = verdict + earned + hint;
  }

  quiet(): void {
    this.words.textContent = "";
  }
}

/** A number of points, with its sign; hundredths where there are few. */
export function signed(points: number): string {
  const size = Math.abs(points);
  return `${points < 0 ? "−" : points > 0 ? "+" : ""}${number(size, { maximumFractionDigits: size < 10 ? 2 : 0 })}`;
}

/** What answers earn in a block. */
export function payoffWords({ points }: Block): string {
  if (!points) return "";
  const { correct, miss, false_alarm, second } = points;
  return say("payoff", { correct: signed(correct), miss: signed(miss), false_alarm: signed(false_alarm), second: signed(second) });
}
