// The participant's page: consent, calibration, instructions, blocks, debriefing.

import { initJsPsych } from "jspsych";
import { ask, pause, Refusal } from "../api";
import { download, h } from "../dom";
import { themeButton } from "../theme";
import type { Answer, Design, Finish, Screen, Session, TrialPlan, TrialRecord } from "./design";
import { Board, fitted } from "./display";
import { measureInterval } from "./frames";
import { resultsPlot, resultsTable } from "./results";
import { calibration, fillScreen, keyCap, paragraphs, screen, ScreenPlugin, showScreen, type Build } from "./screens";
import { isTouch, payoffWords, roomFor, SearchPlugin, signed, type Stage } from "./search";
import { Sender, type Mood } from "./sender";
import { BrowserStore, PageStore, randomKey, type Store, type Ticket } from "./store";

/** Milliseconds between questions for the ideal observer, and how many there are. */
const EVERY = 4_000;
const ATTEMPTS = 100;

const stage = h("div", { id: "stage" });
const connection = h("p", { id: "connection", role: "status" });
const parameters = Object.fromEntries(new URLSearchParams(location.search));

// ------------------------------------------------------------------ the server, until it answers

/** Ask until there is an answer; refusals are handed on, a silent server is asked again. */
async function insist<T>(question: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await question();
      connection.textContent = "";
      return answer;
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) throw error;
      connection.textContent = "The server does not answer at the moment. Trying again …";
      await pause(Math.min(10_000, 500 * 2 ** attempt));
    }
  }
}

function tell(mood: Mood, waiting: number): void {
  document.body.dataset["unsent"] = String(waiting);
  const answers = waiting === 1 ? "1 answer is" : `${waiting} answers are`;
  connection.textContent =
    mood === "waiting" ? `No connection: ${answers} kept here and sent as soon as it is back. You can go on.`
    : mood === "refused" ? `${answers} kept here; the server refuses them.`
    : "";
}

// ------------------------------------------------------------------ who takes part

async function openStore(): Promise<Store> {
  try {
    return await BrowserStore.open();
  } catch {
    return new PageStore();
  }
}

interface Entry {
  ticket: Ticket;
  session: Session;
  back: boolean;
}

/** The session of somebody who was here before, if the server still knows it. */
async function resume(store: Store, ticket: Ticket): Promise<Entry | null> {
  try {
    const session = await insist(() =>
      ask<Session>(`/lab/sessions/${ticket.session}/resume`, { method: "POST", token: ticket.token }));
    return { ticket, session, back: true };
  } catch (error) {
    if (error instanceof Refusal && (error.status === 401 || error.status === 404)) {
      await store.forget(ticket.key);
      return null;
    }
    throw error;
  }
}

/** A new session, after consent; null without it. */
async function enter(store: Store, design: Design, key: string): Promise<Entry | null> {
  const agreed = await showScreen(stage, (done) =>
    screen(design.title, [
      h("p", { class: "lead" }, `About ${minutes(design.minutes)}, ${design.n_trials} short trials.`),
      ...paragraphs(design.consent),
      h("h2", {}, "What is stored"),
      ...paragraphs(design.promise),
    ], [
      { words: "I agree and take part", press: () => done({ agreed: true }) },
      { words: "I do not agree", press: () => done(), quiet: true },
    ]));
  if (!("agreed" in agreed)) return null;
  // The same secret in every attempt, also after a reload: an answer that got lost began no second session.
  const attempt: Ticket = (await store.ticket(`begun ${key}`)) ?? { key: `begun ${key}`, session: "", token: randomKey(), screen: null };
  await store.keep(attempt);
  const body = { consent: true, parameters, key: attempt.token };
  const session = await insist(() => ask<Session & { token: string }>("/lab/sessions", { body }));
  const ticket: Ticket = { key, session: session.session, token: session.token, screen: null };
  await store.keep(ticket);
  await store.forget(attempt.key);
  return { ticket, session, back: false };
}

function minutes(value: number): string {
  const whole = Math.max(1, Math.round(value));
  return whole === 1 ? "1 minute" : `${whole} minutes`;
}

// ------------------------------------------------------------------ screens of the experiment

function welcome({ back }: Entry, left: number): Build {
  return (done) => {
    const begin = async (): Promise<void> => {
      await fillScreen();
      done();
    };
    const content = back
      ? [h("p", {}, `Good to see you again. Your answers so far are safe; ${left} trials are left.`)]
      : [h("p", {}, "Choose a quiet room, and take the time you need for the instructions.")];
    content.push(h("p", {}, "The experiment fills the whole screen. The Esc key leaves full screen at any time."));
    return screen(back ? "Welcome back" : "Thank you for taking part", content, [{ words: "Fill the screen", press: () => void begin() }]);
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
      const answer = present ? "present" : "absent";
      board.canvas.setAttribute("aria-label", `A display with the target ${answer}`);
      return h("figure", {}, board.canvas, h("figcaption", {}, `Target ${answer}: `, ...howTo(design, answer)));
    };
    return screen("What to do", [...paragraphs(design.instructions), h("div", { class: "samples" }, sample(true), sample(false))], [
      { words: "Begin", press: () => done() },
    ]);
  };
}

/** How an answer is given on this device. */
function howTo(design: Design, answer: Answer): (Node | string)[] {
  return isTouch() ? [`tap “${answer}”`] : ["press ", keyCap(design.keys[answer])];
}

function blockIntroduction(design: Design, at: number, done: () => void): HTMLElement {
  const block = design.blocks[at]!;
  const parts = design.blocks.length;
  return screen(block.name, [
    h("p", { class: "lead" }, `Part ${at + 1} of ${parts}, ${block.trials} trials.`),
    ...paragraphs(block.words),
    block.points && h("p", {}, payoffWords(block)),
    h("p", { class: "keys" }, "Target present: ", ...howTo(design, "present"), h("span", {}), "Target absent: ", ...howTo(design, "absent")),
  ], [{ words: "Start", press: done }]);
}

function rest(done: () => void, share: number, earned: number | null): HTMLElement {
  const bar = h("progress", { max: 1, "aria-label": "How much is done" });
  bar.value = share;
  return screen("Take a break", [
    bar,
    h("p", {}, `${Math.round(100 * share)} % is done. Rest your eyes for as long as you like.`),
    earned !== null && h("p", {}, `You have ${signed(earned)} points so far.`),
  ], [{ words: "Go on", press: done }]);
}

// ------------------------------------------------------------------ the run

async function settleScreen(entry: Entry, store: Store): Promise<Screen> {
  const { ticket, session } = entry;
  let kept = ticket.screen;
  const left = session.trials.length - session.stored.length;
  await showScreen(stage, welcome(entry, left));
  if (!kept) {
    const { pixels_per_degree } = (await showScreen(stage, calibration())) as Pick<Screen, "pixels_per_degree">;
    stage.replaceChildren(h("p", { class: "moment", role: "status" }, "One moment …"));
    const interval = await measureInterval();
    kept = {
      // What does not fit is drawn smaller, and said to be smaller.
      pixels_per_degree: fitted(pixels_per_degree, session.design.layout.reach, innerWidth, roomFor(innerHeight)),
      width: innerWidth, height: innerHeight, pixel_ratio: devicePixelRatio,
      frame_interval: interval / 1000, touch: isTouch(),
    };
    ticket.screen = kept;
    await store.keep(ticket);
  }
  const body = kept;
  await insist(() => ask(`/lab/sessions/${ticket.session}/screen`, { method: "PUT", body, token: ticket.token }));
  return kept;
}

async function runBlocks(entry: Entry, settled: Screen, remaining: TrialPlan[], sender: Sender): Promise<void> {
  const { session } = entry;
  const { design } = session;
  stage.replaceChildren();
  const jsPsych = initJsPsych({ display_element: stage });
  let earned: number | null = null;
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
  if (!entry.back || made === 0) timeline.push({ type: ScreenPlugin, build: instructions(session, shared) });
  blocks.forEach((block, at) => {
    if (at > 0) timeline.push({ type: ScreenPlugin, build: (done: () => void) => rest(done, made / session.trials.length, earned) });
    timeline.push({ type: ScreenPlugin, build: (done: () => void) => blockIntroduction(design, block, done) });
    for (const plan of remaining.filter((trial) => trial.block === block)) {
      timeline.push({ type: SearchPlugin, plan, stage: shared });
    }
  });
  document.body.classList.add("running");
  await jsPsych.run(timeline as Parameters<typeof jsPsych.run>[0]);
  document.body.classList.remove("running");
}

/** The end; the ideal observer may still be computed then, and is added when it is known. */
async function conclude(ticket: Ticket, design: Design): Promise<void> {
  const end = (): Promise<Finish> =>
    insist(() => ask<Finish>(`/lab/sessions/${ticket.session}/finish`, { method: "POST", token: ticket.token }));
  let finish = await end();
  if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
  stage.replaceChildren(thanks(finish, design));
  scrollTo(0, 0);
  for (let attempt = 0; finish.ideal === null && attempt < ATTEMPTS; attempt += 1) {
    await pause(EVERY);
    finish = await end();
    if (finish.ideal !== null) stage.replaceChildren(thanks(finish, design));
  }
}

function thanks(finish: Finish, design: Design): HTMLElement {
  const { results, ideal, points } = finish;
  return screen("Thank you", [
    ...paragraphs(design.debriefing),
    h("h2", {}, "Your results"),
    h("p", {},
      "Solid lines are your mean response times",
      ideal ? "; dashed lines are those of an ideal observer, who sees as well as we expected of people and makes the best of it." : "."),
    h("p", { class: "key" }, h("b", { class: "present" }, "target present"), " ", h("b", { class: "absent" }, "target absent")),
    h("div", { class: "results" }, resultsPlot(results, ideal, Math.min(620, innerWidth - 74))),
    resultsTable(results, ideal),
    points !== null && h("p", {}, `You have ${signed(points)} points.`),
    finish.completion_code && h("p", { class: "code" }, "Your completion code: ", h("strong", {}, finish.completion_code)),
    finish.redirect && h("p", {}, h("a", { class: "button", href: finish.redirect, rel: "noreferrer" }, "Return to where you came from")),
  ], []);
}

/** The server refuses what was sent: the participant can hand it over as a file. */
function handOver(trials: TrialRecord[], refusal: Refusal, session: string): void {
  const save = (): void => download(`${session}.json`, "application/json", JSON.stringify({ session, trials }));
  stage.replaceChildren(
    screen("Your answers could not be sent", [
      h("p", {}, "They are kept in this browser. Please save them as a file and send it to the researchers."),
      h("p", { class: "small" }, refusal.message),
    ], [{ words: "Save the answers", press: save }]));
}

async function main(store: Store): Promise<void> {
  const design = await insist(() => ask<Design>("/lab/design"));
  document.title = design.title;
  const key = JSON.stringify([design.title, Object.entries(parameters).sort()]);
  const known = await store.ticket(key);
  const entry = (known && (await resume(store, known))) ?? (await enter(store, design, key));
  if (!entry) {
    stage.replaceChildren(screen("All right", [h("p", {}, "Nothing was stored. You can close this page.")], []));
    return;
  }
  const { ticket, session } = entry;
  if (session.finished) return conclude(ticket, design);
  const deliver = async (trials: TrialRecord[]): Promise<number[]> => {
    const body = { trials };
    return (await ask<{ stored: number[] }>(`/lab/sessions/${ticket.session}/trials`, { body, token: ticket.token })).stored;
  };
  const sender = new Sender(store, ticket.session, deliver, tell);
  addEventListener("online", () => sender.hurry());
  addEventListener("beforeunload", (event) => {
    if (Number(document.body.dataset["unsent"] ?? 0) > 0) event.preventDefault();
  });
  const made = new Set([...session.stored, ...(await store.waiting(ticket.session)).map((trial) => trial.index)]);
  sender.hurry();
  const remaining = session.trials.filter((trial) => !made.has(trial.index));
  if (remaining.length > 0) {
    const settled = await settleScreen(entry, store);
    await runBlocks(entry, settled, remaining, sender);
  }
  stage.replaceChildren(h("p", { class: "moment", role: "status" }, "Sending the last answers …"));
  await sender.empty();
  if (sender.refusal) handOver(await store.waiting(ticket.session), sender.refusal, ticket.session);
  else await conclude(ticket, design);
}

function sorry(error: unknown): void {
  const words = error instanceof Refusal ? error.message : "Something went wrong on this page. Reload it to go on where you were.";
  stage.replaceChildren(screen("We are sorry", paragraphs(words), []));
  if (!(error instanceof Refusal)) console.error(error);
}

document.body.append(h("div", { class: "corner" }, themeButton()), stage, connection);

async function start(): Promise<void> {
  try {
    await main(await openStore());
  } catch (error) {
    sorry(error);
  }
}

async function startAlone(lock: Lock | null): Promise<void> {
  if (lock) return start();
  const words = "The experiment is open in another tab. Please go on there, or close it and reload this page.";
  stage.replaceChildren(screen("Already open", [h("p", {}, words)], []));
}

// One tab at a time: two would make the same trials. Locks exist on secure connections alone.
if ("locks" in navigator) void navigator.locks.request("popout-laboratory", { ifAvailable: true }, startAlone);
else void start();
