// The explorer: every choice on one screen, and what follows from it.

import { ask, Refusal, work, type Job } from "../api";
import { h, icon, ICONS } from "../dom";
import { themeButton } from "../theme";
import { Animation, SLOWER } from "./animation";
import type { BoundaryAnswer, ExampleTrial, FrontierAnswer, SlopesAnswer, WithHistogram } from "./answers";
import { controls, nameOf, slider } from "./controls";
import { Panel } from "./panel";
import { coursePicture, errorsPicture, frontierPicture, planePicture, slopesPicture, timesPicture } from "./plots";
import { shareButton } from "./share";
import { Slot } from "./slot";
import {
  costsOf, DEFAULTS, effective, fromAddress, MOST_SOLVED, QUANTITIES, RULED_OUT, taskOf, toAddress, type State,
} from "./state";
import { Numbers } from "./numbers";

const QUICK = 40;
const SLOW = 450;
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
const slots = {
  plane: new Slot(QUICK), chosen: new Slot(QUICK), simulate: new Slot(QUICK), trials: new Slot(QUICK),
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

/** The strategy whose boundary is drawn as the best there is. */
function reference(now: State): string {
  if (now.locations <= MOST_SOLVED) return "optimal";
  return now.evidence === "information" ? "sprt-opt" : "a-sprt";
}

function problem(now: State): Record<string, unknown> {
  const attention = now.evidence === "information" ? { attention: now.attention } : {};
  return { task: taskOf(now), costs: costsOf(now), ...attention };
}

/** With one drift or visibility for all locations, as set sizes are compared. */
function level(now: State): State {
  return { ...now, visibility: 1 };
}

function failed(panel: Panel): (error: unknown) => void {
  return (error) => {
    if (error instanceof Refusal) panel.refuse(error.message);
    else panel.refuse("The server does not answer. It is asked again with the next change.");
  };
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
  const body = { ...problem(now), plane: [0, 1], others: held };
  const best = { ...body, strategy: reference(now) };
  const chosen = now.strategy === best.strategy ? null : { ...body, strategy: now.strategy };
  const draw = (): void => {
    if (shown.best) panels.plane.show(planePicture(shown.best, shown.chosen, nameOf(shown.best.strategy)));
  };
  if (!chosen) {
    slots.chosen.stop();
    if (shown.chosen) {
      shown.chosen = null;
      draw();
    }
  } else {
    slots.chosen.ask(JSON.stringify(chosen), async (signal) => {
      shown.chosen = await ask<BoundaryAnswer>("/boundary", { body: chosen, signal });
      draw();
    }, () => {
      shown.chosen = null;
      draw();
    });
  }
  const asked = slots.plane.ask(JSON.stringify(best), async (signal) => {
    shown.best = await ask<BoundaryAnswer>("/boundary", { body: best, signal });
    numbers.best(shown.best.risk, now.evidence === "information" && now.attention !== "optimal" ? "best stopping" : "optimum");
    draw();
  }, (error) => {
    shown.best = null;
    failed(panels.plane)(error);
  });
  if (asked) panels.plane.wait();
}

function askSimulation(now: State): void {
  const body = { ...problem(now), strategy: now.strategy, ...TRIALS };
  const asked = slots.simulate.ask(JSON.stringify(body), async (signal) => {
    const answer = await ask<WithHistogram>("/simulate", { body, signal });
    shown.simulated = answer;
    numbers.show(answer, nameOf(now.strategy));
    panels.times.show(timesPicture(answer));
    panels.errors.show(errorsPicture(answer));
    drawFrontier(now);
  }, (error) => {
    numbers.clear();
    failed(panels.times)(error);
    failed(panels.errors)(error);
  });
  if (asked) {
    panels.times.wait();
    panels.errors.wait();
  }
}

function askTrials(now: State): void {
  const body = { ...problem(now), strategy: now.strategy, n: 6, seed, tune_trials: TRIALS.tune_trials };
  const asked = slots.trials.ask(JSON.stringify(body), async (signal) => {
    const answer = await ask<{ trials: ExampleTrial[] }>("/example-trials", { body, signal });
    trials = answer.trials;
    turn = 0;
    showTrial();
  }, failed(panels.course));
  if (asked) panels.course.wait();
}

function askSlopes(now: State): void {
  const body = { ...problem(level(now)), strategy: slopesStrategy(now), locations: SET_SIZES, ...TRIALS };
  long("slopes", body, (answer: SlopesAnswer) => panels.slopes.show(slopesPicture(answer, now.locations)));
}

/** Over set sizes there is one strategy for all of them. */
function slopesStrategy(now: State): string {
  if (now.strategy !== "optimal") return now.strategy;
  return now.evidence === "information" ? "sprt-opt" : "a-sprt";
}

function askFrontier(now: State): void {
  const body = { ...problem(now), strategy: reference(now), ...TRIALS };
  long("frontier", body, (answer: FrontierAnswer) => {
    shown.frontier = answer;
    drawFrontier(effective(state));
  });
}

function drawFrontier(now: State): void {
  if (!shown.frontier) return;
  const name = nameOf(reference(now));
  const apart = now.strategy !== reference(now) && shown.simulated !== null;
  const chosen = apart ? { name: nameOf(now.strategy), answer: shown.simulated! } : null;
  panels.frontier.show(frontierPicture(shown.frontier, name, chosen, now.prior));
}

/** Work that may take a while: with progress after a moment, and a way to stop it. */
function long<T>(question: "slopes" | "frontier", body: unknown, show: (answer: T) => void): void {
  const [slot, panel] = [slots[question], panels[question]];
  const key = JSON.stringify(body);
  const again = (): void => long(question, body, show);
  const stop = (): void => {
    slot.stop();
    panel.refuse("Stopped.", again);
  };
  const asked = slot.ask(key, async (signal) => {
    let latest: Pick<Job<T>, "share" | "words"> = { share: null, words: "" };
    const tell = (): void => panel.wait(latest.share, latest.words || "computing", stop);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      tell();
    }, PATIENCE);
    try {
      const answer = await work<T>(question, body, signal, (job) => {
        latest = job;
        if (late) tell();
      });
      show(answer);
    } finally {
      clearTimeout(timer);
    }
  }, failed(panel));
  if (asked) panel.wait();
}

function explain(now: State): void {
  const best = nameOf(reference(now));
  const dashed = now.strategy === reference(now) ? "" : ` Dashed: ${nameOf(now.strategy)}.`;
  const rest = now.locations > 2 ? ` The plane shows two of ${now.locations} locations.` : "";
  const blue = now.evidence === "information" && now.locations <= MOST_SOLVED ? " The darker, the more attention location 1 gets." : "";
  panels.plane.explain(
    (reference(now) === "optimal"
      ? "Evidence wanders until it meets a boundary of the ideal observer."
      : `Evidence wanders until it meets a boundary (${best}, close to the optimum).`) + dashed + rest + blue,
  );
  const all = now.visibility === 1 ? "" : " All items seen as well as the best.";
  panels.slopes.explain(`Mean response times of ${nameOf(slopesStrategy(now))} as the display grows; slopes in ms per item.${all}`);
  panels.frontier.explain(
    `The line is ${best}, from costly seconds (fast) to cheap ones (slow); the large dot is ${nameOf(now.strategy)} at the cost chosen.`,
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
