// The explorer: every choice on one screen, and what follows from it.

import { Refusal, work, type Progress } from "../api";
import { h, icon, ICONS } from "../dom";
import { themeButton } from "../theme";
import { Animation, SLOWER } from "./animation";
import type { BoundaryAnswer, ExampleTrial, FrontierAnswer, SlopesAnswer, WithHistogram } from "./answers";
import { controls, glossary, nameOf, slider } from "./controls";
import { FileFault, readOwnData, type OwnData } from "./own_data";
import { Panel } from "./panel";
import { planePicture } from "./plane";
import { coursePicture, errorsPicture, frontierPicture, slopesPicture, timesPicture, type Overlay, type SlopesPart } from "./plots";
import { shareButton } from "./share";
import { Line, Slot, type Manner } from "./slot";
import {
  costsOf, DEFAULTS, effective, fromAddress, FRONTIER_TRIALS, MOST_SOLVED, QUANTITIES, RULED_OUT, taskOf, toAddress, TRIALS, TUNED, type State,
} from "./state";
import { Numbers } from "./numbers";

const QUICK: Manner = { delay: 0, linger: 400 };
const LAST: Manner = { delay: 0, linger: 0 };
const SLOW: Manner = { delay: 450, linger: 0 };
/** Jobs under way. */
const AT_ONCE = 3;
/** Milliseconds after which progress is shown, and a way to stop. */
const PATIENCE = 300;
const SET_SIZES = [2, 3, 4, 6, 8, 12, 16];

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
  slopes: new Slot(SLOW), beyond: new Slot(SLOW), frontier: new Slot(SLOW),
};
const numbers = new Numbers();

/** The answers that the plots are drawn from. */
interface Shown {
  best: BoundaryAnswer | null;
  chosen: BoundaryAnswer | null;
  simulated: WithHistogram | null;
  slopes: SlopesPart | null;
  beyond: SlopesPart | null;
  frontier: FrontierAnswer | null;
}

const shown: Shown = { best: null, chosen: null, simulated: null, slopes: null, beyond: null, frontier: null };
let own: OwnData | null = null;
let trials: ExampleTrial[] = [];
let turn = 0;
/** Whether further trials are on their way. */
let awaited = false;
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

/** Whether the choice is known for few set sizes alone. */
function isForFew(now: State): boolean {
  return now.strategy === "optimal" || (now.evidence === "information" && now.attention === "optimal");
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

function overlay(): Overlay {
  return { nonDecision: state.nonDecision, own, size: state.locations };
}

function update(): void {
  const now = effective(state);
  history.replaceState(null, "", location.pathname + toAddress(state));
  form.show(state);
  others.show(state);
  others.element.classList.toggle("hidden", now.locations < 3);
  explain(now);
  if (own) sayOwnData();
  askPlane(now);
  askSimulation(now);
  askTrials(now);
  askSlopes(now);
  askFrontier(now);
  repaint();
}

/** Draw what is known with what is laid over it now; answers to come are drawn when they are there. */
function repaint(): void {
  drawSimulated(effective(state), "repaint");
  drawSlopes("repaint");
  drawFrontier(effective(state), "repaint");
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
      drawSimulated(now, "show");
      drawFrontier(now, "repaint");
    },
    failed: () => {
      shown.simulated = null;
      numbers.clear();
    },
  });
}

function drawSimulated(now: State, how: "show" | "repaint"): void {
  const answer = shown.simulated;
  if (!answer) return;
  numbers.show(answer, now.strategy === "optimal" ? "the optimum" : nameOf(now.strategy), state.nonDecision);
  panels.times[how](timesPicture(answer, overlay()));
  panels.errors[how](errorsPicture(answer, overlay()));
}

function askTrials(now: State): void {
  question<{ trials: ExampleTrial[] }>({
    slot: "trials", route: "example-trials", body: { ...problem(now), strategy: now.strategy, n: 6, seed, tune_trials: TRIALS.tune_trials },
    panels: [panels.course], line: lineOf(now, now.strategy),
    show: (answer) => {
      trials = answer.trials;
      turn = 0;
      awaited = false;
      showTrial();
    },
    failed: () => (awaited = false),
  });
}

function askSlopes(now: State): void {
  const sizes = [...new Set([...SET_SIZES, now.locations])].sort((a, b) => a - b);
  const few = isForFew(now);
  const part = (slot: "slopes" | "beyond", those: number[], of: State): void => {
    const name = of.strategy === "optimal" ? "the optimum" : nameOf(of.strategy);
    question<SlopesAnswer>({
      slot, route: "slopes", panels: slot === "slopes" ? [panels.slopes] : [], line: lines.longest,
      body: { ...problem({ ...of, visibility: 1, locations: 2 }), strategy: of.strategy, locations: those, ...TRIALS },
      show: (answer) => {
        shown[slot] = { name, answer };
        drawSlopes(slot === "slopes" ? "show" : "repaint");
      },
      failed: () => (shown[slot] = null),
    });
  };
  // First what goes on beyond, which is quick: the panel is settled when the chosen strategy is there.
  if (few) {
    part("beyond", sizes.filter((size) => size > MOST_SOLVED), effective({ ...now, locations: MOST_SOLVED + 1 }));
  } else {
    slots.beyond.stop();
    shown.beyond = null;
  }
  part("slopes", few ? sizes.filter((size) => size <= MOST_SOLVED) : sizes, now);
}

function drawSlopes(how: "show" | "repaint"): void {
  if (shown.slopes) panels.slopes[how](slopesPicture(shown.slopes, shown.beyond, overlay()));
}

function askFrontier(now: State): void {
  question<FrontierAnswer>({
    slot: "frontier", route: "frontier", body: { ...problem(now), strategy: reference(now), ...TRIALS, trials: FRONTIER_TRIALS },
    panels: [panels.frontier], line: lines.longest,
    show: (answer) => {
      shown.frontier = answer;
      drawFrontier(effective(state), "show");
    },
    failed: () => (shown.frontier = null),
  });
}

function drawFrontier(now: State, how: "show" | "repaint"): void {
  if (!shown.frontier) return;
  const apart = now.strategy !== reference(now) && shown.simulated !== null;
  const chosen = apart ? { name: nameOf(now.strategy), answer: shown.simulated! } : null;
  panels.frontier[how](frontierPicture(shown.frontier, nameOf(reference(now)), chosen, now.prior, overlay()));
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
  const instead = effective({ ...now, locations: MOST_SOLVED + 1 });
  const beyond = isForFew(now) ? `, of ${nameOf(instead.strategy)} beyond ${MOST_SOLVED} items (dashed)` : "";
  panels.slopes.explain(`Mean response times of ${called(now.strategy)} as the display grows${beyond}; slopes in ms per item.${all}`);
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
  } else if (!awaited) {
    seed += 1;
    awaited = true;
    askTrials(effective(state));
  }
}

function showTrial(): void {
  const trial = trials[turn];
  if (!trial) return;
  panels.course.show(coursePicture(trial));
  const truth = trial.target === null ? "No target" : `Target at location ${trial.target + 1}`;
  const answer = trial.response === null ? "no answer in time" : `“${trial.response}” after ${Math.round(1000 * trial.rt)} ms of looking, ${trial.correct ? "correct" : "wrong"}`;
  caption.textContent = `${truth}: ${answer}.`;
  animation.load(trial);
  play(animation.playing);
}

// ------------------------------------------------------------------ changes

function change(part: Partial<State>): void {
  state = { ...state, ...part };
  seed = 1;
  awaited = false;
  update();
}

const form = controls(change);
const others = slider(QUANTITIES.others, change);

// ------------------------------------------------------------------ the reader's own data

const dataLine = h("p", { class: "own-data", role: "status" });

function sayOwnData(fault = ""): void {
  if (!own) return dataLine.replaceChildren(fault);
  const here = own.at(state.locations).reduce((sum, cell) => sum + cell.trials, 0);
  const where = here ? `${here} of them with ${state.locations} items` : `none with ${state.locations} items; they have ${own.sizes.join(", ")}`;
  dataLine.replaceChildren(
    h("b", {}, `◇ ${own.name}`), ` ${own.trials.length.toLocaleString("en-GB")} trials, ${where}. Drawn dotted; the file stays in this browser. `,
    h("button", { type: "button", class: "quiet", onclick: forgetOwnData }, "Remove"), fault && ` ${fault}`);
}

function forgetOwnData(): void {
  own = null;
  sayOwnData();
  repaint();
}

async function takeOwnData(input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  input.value = ""; // so that the same file can be taken again
  if (!file) return;
  try {
    own = readOwnData(file.name, await file.text());
    sayOwnData();
    repaint();
  } catch (error) {
    sayOwnData(error instanceof FileFault ? error.message : `${file.name} cannot be read.`);
  }
}

/** A button that opens a file of trials. */
function dataButton(): HTMLElement {
  const input = h("input", { type: "file", class: "only-heard", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "Your data, a CSV file", tabindex: -1, onchange: () => void takeOwnData(input) });
  return h("span", { class: "take-data" }, h("button", { type: "button", title: "A CSV file with set_size, present, response and rt; it stays in this browser", onclick: () => input.click() }, "Your data…"), input);
}

// ------------------------------------------------------------------ the page

/** A button that shows or hides the words beside every control and number, also where nothing hovers. */
function explainButton(): HTMLElement {
  const button = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
    const explained = document.body.classList.toggle("explained");
    button.setAttribute("aria-pressed", String(explained));
  } }, "Explain");
  return button;
}

function introduction(): HTMLElement {
  return h("p", { class: "intro" },
    "You set a search; the page computes its ",
    glossary("ideal-observer", "ideal observer"),
    " exactly and simulates 10,000 trials of a strategy. ",
    h("a", { href: "/static/glossary.html", target: "_blank" }, "What the plots and words mean"));
}

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
    document.body.classList.toggle("sheet-open", !shut);
    if (!shut) panels.plane.element.scrollIntoView(); // something to watch while a slider moves
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
        dataButton(), shareButton(() => state), explainButton(), themeButton())),
    sheet,
    h("main", {}, introduction(), numbers.element, dataLine, h("div", { class: "board" },
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
