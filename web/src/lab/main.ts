// The participant's page: consent, calibration, instructions, blocks, debriefing.

import { initJsPsych } from "jspsych";
import { ask, Refusal } from "../api";
import { h } from "../dom";
import { pointsFor, type Answer, type Design, type Screen, type Session, type Study, type TrialPlan, type TrialRecord } from "./design";
import { Board, fitted } from "./display";
import { conclude, handOver, nextAction, withdrawAction, type Leaving } from "./ending";
import { enter, type Entry } from "./entering";
import { measureInterval } from "./frames";
import { calibration, fillScreen, keyCap, paragraphs, screen, ScreenPlugin, showScreen, type Build } from "./screens";
import { payoffWords, SearchPlugin, signed, type Stage } from "./search";
import { Sender } from "./sender";
import { insist, link, speakAround, stage, tell, wait } from "./stage";
import { BrowserStore, PageStore, type Store } from "./store";
import { browserName, isTouch, watchAttention } from "./surroundings";
import { number, say, sayParts, speak, speakAsReader } from "./words/speech";

// ------------------------------------------------------------------ screens of the experiment

function welcome(leaving: Leaving, left: number): Build {
  const { back } = leaving.entry;
  return (done) => {
    const begin = async (): Promise<void> => {
      await fillScreen();
      done();
    };
    const greeting = back ? say("back", { left }) : say("welcome");
    const others = back ? [...nextAction(leaving), withdrawAction(leaving)] : [];
    return screen(say(back ? "back_title" : "welcome_title"), [h("p", {}, greeting), h("p", {}, say("whole_screen"))], [
      { words: say("fill_screen"), press: () => void begin() }, ...others,
    ]);
  };
}

function instructions({ design, trials }: Session, shared: Stage): Build {
  return (done) => {
    const sample = (present: boolean): HTMLElement => {
      const plan = trials.find((trial) => trial.present === present && trial.set_size > 2) ?? trials.find((trial) => trial.present === present);
      const board = new Board(design.layout, shared.scale);
      const side = 250;
      board.fit(side, side, fitted(shared.scale, design.layout.reach, side, side));
      board.clear();
      if (plan) board.show(plan.items);
      const title = say(present ? "target_present" : "target_absent");
      board.canvas.setAttribute("aria-label", title);
      return h("figure", {}, board.canvas, h("figcaption", {}, `${title}: `, ...howTo(design, present ? "present" : "absent")));
    };
    return screen(say("instructions_title"), [...paragraphs(design.instructions), h("div", { class: "samples" }, sample(true), sample(false))], [
      { words: say("begin"), press: () => done() },
    ]);
  };
}

/** How an answer is given on this device. */
function howTo(design: Design, answer: Answer): (Node | string)[] {
  return isTouch() ? [say("tap", { answer: say(answer) })] : sayParts("press", { key: keyCap(design.keys[answer]) });
}

function blockIntroduction({ design, trials }: Session, at: number, done: () => void): HTMLElement {
  const block = design.blocks[at]!;
  const order = [...new Set(trials.map((trial) => trial.block))]; // which is not the same for everybody
  const how = (title: string, answer: Answer): HTMLElement => h("span", {}, `${title}: `, ...howTo(design, answer));
  return screen(block.name, [
    h("p", { class: "lead" }, say("part", { part: order.indexOf(at) + 1, parts: design.blocks.length, trials: block.trials })),
    ...paragraphs(block.words),
    block.points && h("p", {}, payoffWords(block)),
    block.points && block.practice && h("p", {}, say("practice")),
    h("p", { class: "keys" }, how(say("target_present"), "present"), how(say("target_absent"), "absent")),
  ], [{ words: say("start"), press: done }]);
}

function rest(done: () => void, leaving: Leaving, share: number, earned: number | null): HTMLElement {
  const bar = h("progress", { max: 1, "aria-label": say("progress") });
  bar.value = share;
  return screen(say("break_title"), [
    bar,
    h("p", {}, say("done", { percent: number(share, { style: "percent" }) })),
    earned !== null && h("p", { class: "earned" }, say("points_so_far", { points: signed(earned) })),
  ], [{ words: say("go_on"), press: done }, withdrawAction(leaving)]);
}

// ------------------------------------------------------------------ the run

async function settleScreen(leaving: Leaving, left: number): Promise<Screen> {
  const { entry: { ticket }, store } = leaving;
  let kept = ticket.screen;
  await showScreen(stage, welcome(leaving, left));
  if (!kept) {
    const { pixels_per_degree } = (await showScreen(stage, calibration())) as Pick<Screen, "pixels_per_degree">;
    wait(say("moment"));
    const interval = await measureInterval();
    kept = {
      pixels_per_degree,
      width: innerWidth, height: innerHeight, pixel_ratio: devicePixelRatio,
      frame_interval: interval / 1000, touch: isTouch(), browser: browserName(navigator.userAgent),
    };
    ticket.screen = kept;
    await store.keep(ticket);
  }
  const body = kept;
  await insist(() => ask(`/lab/sessions/${ticket.session}/screen`, { method: "PUT", body, token: ticket.token }));
  return kept;
}

/** The points of all trials so far that count, those that wait to be sent included; null before the first. */
function pointsSoFar({ design, trials, stored, points }: Session, waiting: readonly TrialRecord[]): number | null {
  const known = new Set(stored);
  const unsent = waiting.filter(({ index }) => !known.has(index) && !trials[index]!.practice);
  if (unsent.length === 0 && stored.every((index) => trials[index]!.practice)) return null;
  const earned = unsent.map(({ index, response, rt }) => {
    const plan = trials[index]!;
    return pointsFor(design.blocks[plan.block]!, plan.present, response, rt, design.timing.time_limit) ?? 0;
  });
  return earned.reduce((sum, each) => sum + each, points);
}

async function runBlocks(leaving: Leaving, settled: Screen, remaining: TrialPlan[], waiting: TrialRecord[]): Promise<void> {
  const { entry: { session, back }, sender } = leaving;
  const { design } = session;
  stage.replaceChildren();
  const jsPsych = initJsPsych({ display_element: stage });
  let earned = pointsSoFar(session, waiting);
  let made = session.trials.length - remaining.length;
  const shared: Stage = {
    design,
    scale: settled.pixels_per_degree,
    interval: 1000 * settled.frame_interval,
    keep: async (record: TrialRecord, points) => {
      if (points !== null) earned = (earned ?? 0) + points;
      made += 1;
      await sender.add(record);
    },
  };
  const blocks = [...new Set(remaining.map((trial) => trial.block))];
  const timeline: object[] = [];
  if (!back || made === 0) timeline.push({ type: ScreenPlugin, build: instructions(session, shared) });
  blocks.forEach((block, at) => {
    if (at > 0) timeline.push({ type: ScreenPlugin, build: (done: () => void) => rest(done, leaving, made / session.trials.length, earned) });
    timeline.push({ type: ScreenPlugin, build: (done: () => void) => blockIntroduction(session, block, done) });
    for (const plan of remaining.filter((trial) => trial.block === block)) {
      timeline.push({ type: SearchPlugin, plan, stage: shared });
    }
  });
  document.body.classList.add("running");
  await jsPsych.run(timeline as Parameters<typeof jsPsych.run>[0]);
  document.body.classList.remove("running");
}

async function takePart(entry: Entry, store: Store): Promise<void> {
  const { ticket, session } = entry;
  const deliver = async (trials: TrialRecord[]): Promise<number[]> => {
    const body = { trials };
    return (await ask<{ stored: number[] }>(`/lab/sessions/${ticket.session}/trials`, { body, token: ticket.token })).stored;
  };
  const sender = new Sender(store, ticket.session, deliver, tell);
  const leaving: Leaving = { entry, store, sender };
  if (session.finished) return conclude(leaving);
  addEventListener("online", () => sender.hurry());
  addEventListener("beforeunload", (event) => {
    if (Number(document.body.dataset["unsent"] ?? 0) > 0) event.preventDefault();
  });
  const waiting = await store.waiting(ticket.session);
  const made = new Set([...session.stored, ...waiting.map((trial) => trial.index)]);
  sender.hurry();
  const remaining = session.trials.filter((trial) => !made.has(trial.index));
  if (remaining.length > 0) {
    const settled = await settleScreen(leaving, remaining.length);
    await runBlocks(leaving, settled, remaining, waiting);
  }
  wait(say("sending"));
  await sender.empty();
  if (sender.refusal) handOver(await store.waiting(ticket.session), sender.refusal, ticket.session);
  else await conclude(leaving);
}

/** Say the words of a design, and give the page its title. */
function speakAs({ title, language, words }: Design): void {
  speak(language, words);
  speakAround();
  document.title = title;
}

async function openStore(): Promise<Store> {
  try {
    return await BrowserStore.open();
  } catch {
    return new PageStore();
  }
}

async function start(): Promise<void> {
  try {
    const store = await openStore();
    const study = await insist(() => ask<Study>(`/lab/design${link("study", "key")}`));
    speakAs(study);
    const entry = await enter(store, study);
    if (!entry) return;
    speakAs(entry.session.design); // which may have begun with another design than is served now
    await takePart(entry, store);
  } catch (error) {
    sorry(error);
  }
}

function sorry(error: unknown): void {
  const content = error instanceof Refusal ? [h("p", {}, say("sorry_server")), h("p", { class: "small" }, error.message)] : [h("p", {}, say("sorry"))];
  stage.replaceChildren(screen(say("sorry_title"), content));
  if (!(error instanceof Refusal)) console.error(error);
}

async function startAlone(lock: Lock | null): Promise<void> {
  if (lock) return start();
  stage.replaceChildren(screen(say("twice_title"), [h("p", {}, say("twice"))]));
}

speakAsReader();
speakAround();
watchAttention();
// One tab at a time: two would make the same trials. Locks exist on secure connections alone.
if ("locks" in navigator) void navigator.locks.request("popout-laboratory", { ifAvailable: true }, startAlone);
else void start();
