// The explorer: every choice on one screen, and what follows from it.

import { Refusal, work, type Progress } from "../api";
import { h, icon, ICONS } from "../dom";
import { themeButton } from "../theme";
import { Animation, SLOWER } from "./animation";
import type { BoundaryAnswer, ExampleTrial, FrontierAnswer, SlopesAnswer, WithHistogram } from "./answers";
import { controls, nameOf, slider } from "./controls";
import { Panel } from "./panel";
import { planePicture } from "./plane";
import { coursePicture, errorsPicture, frontierPicture, slopesPicture, timesPicture } from "./plots";
import { shareButton } from "./share";
import { Line, Slot, type Manner } from "./slot";
import {
  costsOf, DEFAULTS, effective, fromAddress, MOST_SOLVED, QUANTITIES, RULED_OUT, taskOf, toAddress, TUNED, type State,
} from "./state";
import { Numbers } from "./numbers";

const QUICK: Manner = { delay: 0, linger: 400 };
const LAST: Manner = { delay: 0, linger: 0 };
const SLOW: Manner = { delay: 450, linger: 0 };
/** Jobs under way. */
const AT_ONCE = 3;
/** Milliseconds after which progress is shown, and a way to stop. */
const PATIENCE = 300;
const SET_SIZES = [2, 4, 8, 12];
const TRIALS = { trials: 10_000, tune_trials: 2_000, seed: 1 };

const EXAMPLES: { name: string; change: Partial<State> }[] = [
  { name: "Two items", change: {} },
  { name: "A rare target", change: { prior: 0.1 } },
  { name: "In a hurry", change: { time: 1 } },
  { name: "One item in the periphery", change: { visibility: 0.25, drift: 6 } },
  { name: "Misses are worse", change: { miss: 5 } },
  { name: "A crowded display", change: { locations: 12, strategy: "sprt" } },
  { name: "Limited information", change: { evidence: "information", locations: 6, information: 64, strategy: "sprt" } },
];

let state = fromAddress(location.search);

const panels = {
  plane: new Panel("plane", "When to stop looking", ""),
  course: new Panel("course", "One trial, as it unfolds", ""),
  times: new Panel("times", "How long it takes", "Simulated trials of the chosen strategy; dashed lines are the means."),
  errors: new Panel("errors", "How often it is wrong", "Simulated; lines are one standard error."),
  slopes: new Panel("slopes", "What each item costs", ""),
  frontier: new Panel("frontier", "Speed and accuracy", ""),
};
// Questions about one observer take turns: the first has it made, the others find it made. Those about the
// best one and about the chosen one do not wait for each other, nor for what is known to take long; of
// what takes longest there is one at a time, so that a worker of the server is free for what is quick.
const lines = { best: new Line(1), chosen: new Line(1), long: new Line(AT_ONCE), longest: new Line(1) };
const slots = {
  plane: new Slot(QUICK), chosen: new Slot(QUICK), simulate: new Slot(QUICK), trials: new Slot(LAST),
  slopes: new Slot(SLOW), frontier: new Slot(SLOW),
};
const numbers = new Numbers();

const shown: { best: BoundaryAnswer | null; chosen: BoundaryAnswer | null; simulated: WithHistogram | null; frontier: FrontierAnswer | null } = {
  best: null, chosen: null, simulated: null, frontier: null,
};
let trials: ExampleTrial[] = [];
let turn = 0;
let seed = 1;

// ------------------------------------------------------------------ questions

type Name = keyof typeof slots;

interface Question<T> {
  slot: Name;
  route: string;
  body: Record<string, unknown>;
  panels: Panel[];
  show: (answer: T) => void;
  line: Line;
  failed?: () => void;
}

/** Ask; what takes long shows its progress after a moment, and a way to stop it. */
function question<T>(asked: Question<T>): void {
  const slot = slots[asked.slot];
  const each = (act: (panel: Panel) => void): void => asked.panels.forEach(act);
  const again = (): void => question(asked);
  const stop = (): void => {
    slot.stop();
    each((panel) => panel.refuse("Stopped.", again));
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const answer = await patiently<T>(asked, signal, stop);
    asked.show(answer);
    if (slot.hasNewer) each((panel) => panel.wait());
  };
  const failed = (error: unknown): void => {
    asked.failed?.();
    const words = error instanceof Refusal ? error.message : "The server does not answer. It is asked again with the next change.";
    each((panel) => panel.refuse(words));
  };
  const key = JSON.stringify([asked.route, asked.body]);
  if (slot.ask(key, asked.line, run, failed)) each((panel) => panel.wait());
}

async function patiently<T>({ route, body, panels }: Question<T>, signal: AbortSignal, stop: () => void): Promise<T> {
  let latest: Progress = { share: null, words: "" };
  let late = false;
  const tell = (): void => panels.forEach((panel) => panel.wait(latest.share, latest.words || "computing", stop));
  const timer = setTimeout(() => {
    late = true;
    tell();
  }, PATIENCE);
  try {
    return await work<T>(route, body, signal, (progress) => {
      latest = progress;
      if (late) tell();
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The strategy whose boundary and frontier are drawn: the best there is, as far as it is known. */
function reference(now: State): string {
  return now.locations <= MOST_SOLVED ? "optimal" : now.strategy;
}

/** Over set sizes there is one strategy for all of them, and the optimum is not known for all. */
function slopesStrategy(now: State): string {
  return now.strategy === "optimal" ? "sprt" : now.strategy;
}

function isLong(now: State, strategy: string): boolean {
  const both = now.evidence === "information" && now.locations > 2;
  return TUNED.includes(strategy) || (strategy === "optimal" && both);
}

/** Where a question about an observer waits for its turn. */
function lineOf(now: State, strategy: string): Line {
  if (isLong(now, strategy)) return lines.long;
  return strategy === reference(now) ? lines.best : lines.chosen;
}

function problem(now: State): Record<string, unknown> {
  const attention = now.evidence === "information" ? { attention: now.attention } : {};
  return { task: taskOf(now), costs: costsOf(now), ...attention };
}

function update(): void {
  const now = effective(state);
  history.replaceState(null, "", location.pathname + toAddress(state));
  form.show(state);
  others.show(state);
  others.element.classList.toggle("hidden", now.locations < 3);
  explain(now);
  askPlane(now);
  askSimulation(now);
  askTrials(now);
  askSlopes(now);
  askFrontier(now);
}

function askPlane(now: State): void {
  const held = now.locations < 3 || now.others <= RULED_OUT ? null : now.others;
  const body = { ...problem(now), plane: [0, 1], others: held, tune_trials: TRIALS.tune_trials };
  const best = reference(now);
  const draw = (): void => {
    if (shown.best) panels.plane.show(planePicture(shown.best, shown.chosen, nameOf(best)));
  };
  if (now.strategy === best) {
    slots.chosen.stop();
    if (shown.chosen) {
      shown.chosen = null;
      draw();
    }
  } else {
    question<BoundaryAnswer>({
      slot: "chosen", route: "boundary", body: { ...body, strategy: now.strategy }, panels: [],
      line: lineOf(now, now.strategy),
      show: (answer) => {
        shown.chosen = answer;
        draw();
      },
      failed: () => {
        shown.chosen = null;
        draw();
      },
    });
  }
  question<BoundaryAnswer>({
    slot: "plane", route: "boundary", body: { ...body, strategy: best }, panels: [panels.plane],
    line: lineOf(now, best),
    show: (answer) => {
      shown.best = answer;
      numbers.best(answer.risk, now.evidence === "information" && now.attention !== "optimal" ? "best stopping" : "optimum");
      draw();
    },
    failed: () => (shown.best = null),
  });
}

function askSimulation(now: State): void {
  question<WithHistogram>({
    slot: "simulate", route: "simulate", body: { ...problem(now), strategy: now.strategy, ...TRIALS },
    panels: [panels.times, panels.errors], line: lineOf(now, now.strategy),
    show: (answer) => {
      shown.simulated = answer;
      numbers.show(answer, now.strategy === "optimal" ? "the optimum" : nameOf(now.strategy));
      panels.times.show(timesPicture(answer));
      panels.errors.show(errorsPicture(answer));
      drawFrontier(now);
    },
    failed: () => numbers.clear(),
  });
}

function askTrials(now: State): void {
  question<{ trials: ExampleTrial[] }>({
    slot: "trials", route: "example-trials", body: { ...problem(now), strategy: now.strategy, n: 6, seed, tune_trials: TRIALS.tune_trials },
    panels: [panels.course], line: lineOf(now, now.strategy),
    show: (answer) => {
      trials = answer.trials;
      turn = 0;
      showTrial();
    },
  });
}

function askSlopes(now: State): void {
  const strategy = slopesStrategy(now);
  question<SlopesAnswer>({
    slot: "slopes", route: "slopes", body: { ...problem({ ...now, visibility: 1, locations: 2 }), strategy, locations: SET_SIZES, ...TRIALS },
    panels: [panels.slopes], line: lines.longest,
    show: (answer) => panels.slopes.show(slopesPicture(answer, now.locations)),
  });
}

function askFrontier(now: State): void {
  question<FrontierAnswer>({
    slot: "frontier", route: "frontier", body: { ...problem(now), strategy: reference(now), ...TRIALS },
    panels: [panels.frontier], line: lines.longest,
    show: (answer) => {
      shown.frontier = answer;
      drawFrontier(effective(state));
    },
    failed: () => (shown.frontier = null),
  });
}

function drawFrontier(now: State): void {
  if (!shown.frontier) return;
  const apart = now.strategy !== reference(now) && shown.simulated !== null;
  const chosen = apart ? { name: nameOf(now.strategy), answer: shown.simulated! } : null;
  panels.frontier.show(frontierPicture(shown.frontier, nameOf(reference(now)), chosen, now.prior));
}

function explain(now: State): void {
  const called = (strategy: string): string => (strategy === "optimal" ? "the optimum" : nameOf(strategy));
  const best = called(reference(now));
  const dashed = now.strategy === reference(now) ? "" : ` Dashed: ${nameOf(now.strategy)}.`;
  const rest = now.locations > 2 ? ` The plane shows two of ${now.locations} locations.` : "";
  const shade = now.evidence === "information" && now.locations <= MOST_SOLVED ? " The darker, the more attention location 1 gets." : "";
  const whose = reference(now) === "optimal" ? "the ideal observer" : best;
  panels.plane.explain(`Evidence wanders until it meets a boundary of ${whose}.${dashed}${rest}${shade}`);
  const all = now.visibility === 1 ? "" : " All items seen as well as the best.";
  panels.slopes.explain(`Mean response times of ${nameOf(slopesStrategy(now))} as the display grows; slopes in ms per item.${all}`);
  panels.frontier.explain(
    `The line is ${best}, from costly seconds (fast) to cheap ones (slow); the large dot is ${called(now.strategy)} at the cost chosen.`,
  );
}

// ------------------------------------------------------------------ one trial after the other

const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const animation = new Animation(() => nextTrial());
const playButton = h("button", { type: "button", class: "round", onclick: () => play(!animation.playing) });
const nextButton = h("button", { type: "button", class: "round", "aria-label": "Next trial", title: "Next trial", onclick: nextTrial }, icon(ICONS.next));
const caption = h("p", { class: "caption" });

function play(playing: boolean): void {
  animation.play(playing);
  playButton.replaceChildren(icon(playing ? ICONS.pause : ICONS.play));
  playButton.setAttribute("aria-label", playing ? "Pause the trial" : "Run the trial");
  playButton.title = playing ? "Pause" : "Run";
}

function nextTrial(): void {
  if (turn + 1 < trials.length) {
    turn += 1;
    showTrial();
  } else {
    seed += 1;
    askTrials(effective(state));
  }
}

function showTrial(): void {
  const trial = trials[turn];
  if (!trial) return;
  panels.course.show(coursePicture(trial));
  const truth = trial.target === null ? "No target" : `Target at location ${trial.target + 1}`;
  const answer = trial.response === null ? "no answer in time" : `“${trial.response}” after ${Math.round(1000 * trial.rt)} ms, ${trial.correct ? "correct" : "wrong"}`;
  caption.textContent = `${truth}: ${answer}.`;
  animation.load(trial);
  play(animation.playing);
}

// ------------------------------------------------------------------ the page

function change(part: Partial<State>): void {
  state = { ...state, ...part };
  seed = 1;
  update();
}

const form = controls(change);
const others = slider(QUANTITIES.others, change);

function page(): void {
  const examples = h("select", { "aria-label": "Examples" }, h("option", { value: "" }, "Examples"),
    ...EXAMPLES.map(({ name }, at) => h("option", { value: at }, name)));
  examples.addEventListener("change", () => {
    const example = EXAMPLES[Number(examples.value)];
    if (examples.value !== "" && example) change({ ...DEFAULTS, ...example.change });
    examples.value = "";
  });
  const sheet = h("aside", { class: "rail", id: "controls" }, form.element);
  const open = h("button", { type: "button", class: "main sheet-button", "aria-controls": "controls", "aria-expanded": "false" }, "Change the search");
  open.addEventListener("click", () => {
    const shut = !sheet.classList.toggle("open");
    open.setAttribute("aria-expanded", String(!shut));
    open.textContent = shut ? "Change the search" : "Done";
  });
  panels.plane.controls.append(others.element);
  panels.course.controls.append(h("div", { class: "player" }, playButton, nextButton, caption));
  panels.course.explain(`One line for each location, the target’s in the colour of “present”; ${SLOWER} times slower than life.`);
  panels.plane.drawn = (svg) => animation.on("plane", svg);
  panels.course.drawn = (svg) => animation.on("course", svg);
  document.body.append(
    h("header", { class: "top" },
      h("h1", {}, h("a", { href: "/" }, "popout"), h("span", {}, "How well could anyone search?")),
      h("nav", { "aria-label": "Page" }, examples, h("button", { type: "button", class: "reset", onclick: () => change(DEFAULTS) }, "Reset"),
        shareButton(() => state), themeButton())),
    sheet,
    h("main", {}, numbers.element, h("div", { class: "board" },
      h("div", { class: "story" }, panels.plane.element, panels.course.element),
      h("div", { class: "findings" }, panels.times.element, panels.errors.element, panels.slopes.element, panels.frontier.element))),
    open,
  );
}

page();
play(!calm);
update();
addEventListener("popstate", () => {
  state = fromAddress(location.search);
  update();
});
