// The explorer: every choice on one screen, and what follows from it.

import { Refusal, work, type Progress } from "../api";
import { h, icon, ICONS } from "../dom";
import { themeButton } from "../theme";
import { Animation, SLOWER } from "./animation";
import type { BoundaryAnswer, ExampleTrial, FrontierAnswer, SlopesAnswer, SolveAnswer, WithHistogram } from "./answers";
import { controls, glossary, nameOf, slider } from "./controls";
import { GAZE_RULES, gazeTask, isExact, isGaze, isSolved, type Place } from "./gaze";
import { FileFault, readOwnData, type OwnData } from "./own_data";
import { Panel } from "./panel";
import { planePicture } from "./plane";
import { coursePicture, errorsPicture, frontierPicture, slopesPicture, timesPicture, type Overlay, type SlopesPart } from "./plots";
import { rulesPicture, type RuleRisk } from "./rules";
import { displayPicture, type Scene } from "./scanpath";
import { shareButton } from "./share";
import { Line, Slot, type Manner } from "./slot";
import {
  costsOf, DEFAULTS, effective, fromAddress, FRONTIER, MOST_SOLVED, QUANTITIES, RULED_OUT, taskOf, toAddress, TRIALS, TUNED, type State,
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
  { name: "Eye movements", change: { evidence: "gaze" } },
  { name: "A square, looked at by ELM", change: { evidence: "gaze", layout: "square", attention: "elm" } },
  { name: "Nineteen places", change: { evidence: "gaze", layout: "hexagon", information: 40, falloff: 1.5, time: 0.05, attention: "ideal" } },
];

let state = fromAddress(location.search);

const panels = {
  plane: new Panel("plane", "When to stop looking", ""),
  scan: new Panel("scan", "Where the eyes go", ""),
  course: new Panel("course", "One trial, as it unfolds", ""),
  times: new Panel("times", "How long it takes", "Simulated trials of the chosen strategy; dashed lines are the means."),
  errors: new Panel("errors", "How often it is wrong", "Simulated; lines are one standard error."),
  slopes: new Panel("slopes", "What each item costs", ""),
  rules: new Panel("rules", "What a rule loses", ""),
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
const ruleSlots = Object.fromEntries(GAZE_RULES.map((rule) => [rule, new Slot(SLOW)]));
const numbers = new Numbers();

/** The answers that the plots are drawn from. */
interface Shown {
  best: BoundaryAnswer | null;
  chosen: BoundaryAnswer | null;
  simulated: WithHistogram | null;
  slopes: SlopesPart | null;
  beyond: SlopesPart | null;
  frontier: FrontierAnswer | null;
  rules: Map<string, RuleRisk>;
}

const shown: Shown = { best: null, chosen: null, simulated: null, slopes: null, beyond: null, frontier: null, rules: new Map() };
/** The search whose rules of gaze are asked for. */
let rulesOf = "";
let own: OwnData | null = null;
let trials: ExampleTrial[] = [];
/** What they are trials of. */
let trialsOf = state;
let turn = 0;
/** Whether further trials are on their way. */
let awaited = false;
let seed = 1;

// ------------------------------------------------------------------ questions

interface Question<T> {
  slot: Slot;
  route: string;
  body: Record<string, unknown>;
  panels: Panel[];
  show: (answer: T) => void;
  line: Line;
  failed?: () => void;
}

/** Ask; what takes long shows its progress after a moment, and a way to stop it. */
function question<T>(asked: Question<T>): void {
  const { slot } = asked;
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
  if (isGaze(now)) return isExact(now) ? "optimal" : now.strategy;
  return now.locations <= MOST_SOLVED ? "optimal" : now.strategy;
}

/** Whether the choice is known for few set sizes alone. */
function isForFew(now: State): boolean {
  return now.strategy === "optimal" || (now.evidence === "information" && now.attention === "optimal");
}

function isLong(now: State, strategy: string): boolean {
  if (isGaze(now)) return now.locations > MOST_SOLVED;
  const both = now.evidence === "information" && now.locations > 2;
  return TUNED.includes(strategy) || (strategy === "optimal" && both);
}

/** Where a question about an observer waits for its turn. */
function lineOf(now: State, strategy: string): Line {
  if (isLong(now, strategy)) return lines.long;
  return strategy === reference(now) ? lines.best : lines.chosen;
}

function problem(now: State): Record<string, unknown> {
  const attention = now.evidence === "drift" ? {} : { attention: now.attention };
  return { task: taskOf(now), costs: costsOf(now), ...attention };
}

function overlay(): Overlay {
  return { nonDecision: state.nonDecision, own, size: effective(state).locations };
}

function update(): void {
  const now = effective(state);
  history.replaceState(null, "", location.pathname + toAddress(state));
  form.show(state);
  others.show(state);
  others.element.classList.toggle("hidden", now.locations < 3);
  arrange(now);
  computed.textContent = sayComputed(now);
  explain(now);
  if (own) sayOwnData();
  if (isGaze(now)) {
    for (const slot of [slots.plane, slots.chosen, slots.slopes, slots.beyond]) slot.stop();
    askRules(now);
  } else {
    for (const slot of Object.values(ruleSlots)) slot.stop();
    rulesOf = "";
    askPlane(now);
    askSlopes(now);
  }
  askSimulation(now);
  askTrials(now);
  askFrontier(now);
  repaint();
}

/** Where gaze moves, the display is in the place of the plane, and what rules lose in that of the slopes. */
function arrange(now: State): void {
  const gaze = isGaze(now);
  const [first, third] = gaze ? [panels.scan, panels.rules] : [panels.plane, panels.slopes];
  if (first.element.isConnected) return;
  story.replaceChildren(first.element, panels.course.element);
  findings.replaceChildren(panels.times.element, panels.errors.element, third.element, panels.frontier.element);
  (gaze ? panels.scan : panels.course).controls.append(player);
  stepButton.classList.toggle("hidden", !gaze);
}

/** Draw what is known with what is laid over it now; answers to come are drawn when they are there. */
function repaint(): void {
  drawSimulated(effective(state), "repaint");
  drawSlopes("repaint");
  drawRules(effective(state), "repaint");
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
      slot: slots.chosen, route: "boundary", body: { ...body, strategy: now.strategy }, panels: [],
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
    slot: slots.plane, route: "boundary", body: { ...body, strategy: best }, panels: [panels.plane],
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
    slot: slots.simulate, route: "simulate", body: { ...problem(now), strategy: now.strategy, ...TRIALS },
    panels: [panels.times, panels.errors], line: lineOf(now, now.strategy),
    show: (answer) => {
      shown.simulated = answer;
      explain(now);
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
  const name = isGaze(now) ? now.attention : now.strategy;
  numbers.show(answer, name === "optimal" ? "the optimum" : nameOf(name), state.nonDecision);
  panels.times[how](timesPicture(answer, overlay()));
  panels.errors[how](errorsPicture(answer, overlay()));
}

function askTrials(now: State): void {
  question<{ trials: ExampleTrial[] }>({
    slot: slots.trials, route: "example-trials", body: { ...problem(now), strategy: now.strategy, n: 6, seed, tune_trials: TRIALS.tune_trials },
    panels: isGaze(now) ? [panels.scan, panels.course] : [panels.course], line: lineOf(now, now.strategy),
    show: (answer) => {
      trials = answer.trials;
      trialsOf = now;
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
      slot: slots[slot], route: "slopes", panels: slot === "slopes" ? [panels.slopes] : [], line: lines.longest,
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

/** Ask for the risk of every rule of gaze: exact where that is known, else simulated. */
function askRules(now: State): void {
  const key = JSON.stringify([taskOf(now), costsOf(now)]);
  if (key === rulesOf) return;
  rulesOf = key;
  const rules = GAZE_RULES.filter((rule) => isExact(now) || rule !== "optimal");
  const risks = (shown.rules = new Map<string, RuleRisk>());
  if (!isExact(now)) numbers.best(null, "optimum");
  const take = (rule: string, risk: number, error: number): void => {
    risks.set(rule, { rule, name: nameOf(rule), risk, error, isExact: isSolved(now, rule) });
    if (risks.size === rules.length) drawRules(effective(state), "show");
  };
  for (const rule of rules) {
    const whole = problem({ ...now, attention: rule });
    const common = { slot: ruleSlots[rule]!, panels: [panels.rules], line: lines.longest };
    if (isSolved(now, rule)) {
      question<SolveAnswer>({ ...common, route: "solve", body: whole, show: ({ risk, risk_error }) => take(rule, risk, risk_error) });
    } else {
      const body = { ...whole, strategy: "sprt-opt", ...TRIALS };
      question<WithHistogram>({ ...common, route: "simulate", body, show: ({ risk, risk_se }) => take(rule, risk, risk_se) });
    }
  }
}

function drawRules(now: State, how: "show" | "repaint"): void {
  const risks = shown.rules;
  if (!isGaze(now) || risks.size < GAZE_RULES.length - (isExact(now) ? 0 : 1)) return;
  panels.rules[how](rulesPicture([...risks.values()], now.attention));
  const [best, own] = [risks.get("optimal"), now.strategy === "optimal" ? risks.get(now.attention) : null];
  if (best) numbers.best(best.risk, "optimum", best.error, own ?? null);
}

function askFrontier(now: State): void {
  const whole = problem(isGaze(now) && isExact(now) ? { ...now, attention: "optimal" } : now);
  question<FrontierAnswer>({
    slot: slots.frontier, route: "frontier", body: { ...whole, strategy: reference(now), ...TRIALS, ...FRONTIER },
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
  const looks = isGaze(now) ? now.attention : "";
  const isDrawn = isGaze(now) && isExact(now) ? looks === "optimal" : now.strategy === reference(now);
  const chosen = !isDrawn && shown.simulated ? { name: nameOf(looks || now.strategy), answer: shown.simulated } : null;
  const best = isGaze(now) && !isExact(now) ? looks : reference(now);
  panels.frontier[how](frontierPicture(shown.frontier, nameOf(best), chosen, now.prior, overlay()));
}

/** How the chosen observer is called in a sentence: by its gaze, else by its strategy. */
function called(now: State): string {
  const name = isGaze(now) ? now.attention : now.strategy;
  const more: Record<string, string> = { optimal: "the optimum", ideal: "the ideal searcher", random: "random gaze" };
  return more[name] ?? nameOf(name);
}

function explainGaze(now: State): void {
  const { fixations } = shown.simulated ?? {};
  const mean = (side: "absent" | "present"): string => `${fixations![`fixations_${side}`].toFixed(2)} ± ${fixations![`fixations_${side}_se`].toFixed(2)}`;
  const counted = fixations ? `Fixations: ${mean("absent")} if the target is absent, ${mean("present")} if present. ` : "";
  panels.scan.explain(`${counted}The fuller an item, the likelier it is the target (ringed). Circles: half and a quarter of the information at gaze.`);
  panels.rules.explain(isExact(now)
    ? "Risk above the optimum, each rule with the stopping that is best for it: exact, with error bounds; random simulated with tuned thresholds."
    : "Risk above the best of these, with tuned thresholds, 10,000 trials each; the optimum is not known here. Lines: one standard error.");
  panels.frontier.explain(isExact(now)
    ? `The line is the optimum, from costly seconds (fast) to cheap ones (slow); the large dot is ${called(now)} at the cost chosen.`
    : `From costly seconds (fast) to cheap ones (slow): ${called(now)} with tuned thresholds at each cost.`);
}

function explain(now: State): void {
  if (isGaze(now)) return explainGaze(now);
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
const stepButton = h("button", { type: "button", class: "round", "aria-label": "Next fixation", title: "Next fixation", onclick: stepOn }, icon(ICONS.step));
const caption = h("p", { class: "caption" });
const player = h("div", { class: "player" }, playButton, stepButton, nextButton, caption);

function stepOn(): void {
  play(false);
  animation.forward();
}

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
  const scene = trial.fixations ? sceneOf(trialsOf) : null;
  panels.course.show(coursePicture(trial));
  if (scene) panels.scan.show(displayPicture(trial, scene));
  const truth = trial.target === null ? "No target" : `Target at ${scene ? "item" : "location"} ${trial.target + 1}`;
  const answer = trial.response === null ? "no answer in time" : `“${trial.response}” after ${Math.round(1000 * trial.rt)} ms of looking, ${trial.correct ? "correct" : "wrong"}`;
  caption.textContent = `${truth}: ${answer}.`;
  animation.load(trial, scene);
  play(animation.playing);
}

/** The display of a trial. */
function sceneOf(now: State): Scene {
  const { items } = gazeTask(now) as { items: Place[] };
  const rings = [2, 4].map((part) => now.falloff * Math.log(part));
  return { items, rings, spacing: now.spacing, rests: now.fixation / (now.fixation + now.saccade) };
}

// ------------------------------------------------------------------ changes

function change(part: Partial<State>): void {
  state = { ...state, ...part };
  seed = 1;
  awaited = false;
  update();
}

const form = controls(change);
const story = h("div", { class: "story" });
const findings = h("div", { class: "findings" });
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

const computed = h("span");

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
    computed,
    h("a", { href: "/static/glossary.html", target: "_blank" }, "What the plots and words mean"));
}

/** What is computed, in a sentence. */
function sayComputed(now: State): string {
  if (!isGaze(now)) return " exactly and simulates 10,000 trials of a strategy. ";
  return isExact(now)
    ? " exactly (where to look, when to stop) and simulates 10,000 trials. "
    : " for three and four items exactly; here it simulates 10,000 trials of a rule. ";
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
    if (!shut) story.scrollIntoView(); // something to watch while a slider moves
    open.setAttribute("aria-expanded", String(!shut));
    open.textContent = shut ? "Change the search" : "Done";
  });
  panels.plane.controls.append(others.element);
  panels.course.explain(`One line for each location, the target’s in the colour of “present”; ${SLOWER} times slower than life.`);
  panels.plane.drawn = (svg) => animation.on("plane", svg);
  panels.course.drawn = (svg) => animation.on("course", svg);
  panels.scan.drawn = (svg) => animation.on("display", svg);
  document.body.append(
    h("header", { class: "top" },
      h("h1", {}, h("a", { href: "/" }, "popout"), h("span", {}, "How well could anyone search?")),
      h("nav", { "aria-label": "Page" }, examples, h("button", { type: "button", class: "reset", onclick: () => change(DEFAULTS) }, "Reset"),
        dataButton(), shareButton(() => state), explainButton(), themeButton())),
    sheet,
    h("main", {}, introduction(), numbers.element, dataLine, h("div", { class: "board" }, story, findings)),
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
