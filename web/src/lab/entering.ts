// Who takes part: somebody new, who is asked for consent, or somebody who was here before.

import { ask, pause, Refusal } from "../api";
import { h } from "../dom";
import { isOwnMachine } from "../own_machine";
import type { Session, Study } from "./design";
import { paragraphs, screen, showScreen } from "./screens";
import { insist, link, parameters, stage } from "./stage";
import { randomKey, type Store, type Ticket } from "./store";
import { unsuited } from "./surroundings";
import { say, sayParts } from "./words/speech";

export interface Entry {
  ticket: Ticket;
  session: Session;
  back: boolean;
}

/** Somebody who takes part; null where nobody does, and a screen has said why. */
export async function enter(store: Store, study: Study): Promise<Entry | null> {
  const key = JSON.stringify([study.title, Object.entries(parameters).sort()]);
  const known = await store.ticket(key);
  const entry = known && (await resume(store, known));
  if (entry && (!entry.session.finished || (await isSamePerson(study)))) return entry;
  await store.forget(key);
  if (study.door !== "open") return turnAway(study.door);
  const why = unsuited(study);
  if (why) return turnAway(why, study);
  return begin(store, study, key);
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

/** Whether the results of a finished session may be shown: a personal link says who it is, others are asked. */
async function isSamePerson(study: Study): Promise<boolean> {
  if (study.participant_parameter && parameters[study.participant_parameter]) return true;
  if (isOwnMachine()) return false;
  const answer = await showScreen(stage, (done) =>
    screen(say("finished_title"), [h("p", {}, say("finished"))], [
      { words: say("somebody_else"), press: () => done() },
      { words: say("it_was_me"), press: () => done({ same: true }), quiet: true },
    ]));
  return "same" in answer;
}

type Why = Exclude<Study["door"], "open"> | "returned" | "declined" | "phone" | "small";

function turnAway(why: Why, study?: Study): null {
  const words = why === "small" ? say("small", { pixels: study?.smallest_screen ?? 0 }) : say(why);
  stage.replaceChildren(screen(say(why === "small" || why === "phone" ? "device_title" : `${why}_title`), [h("p", {}, words)]));
  return null;
}

/** Begin a session; where many begin at once, wait for one's turn. */
async function admit(study: Study, body: object): Promise<Session & { token: string }> {
  for (;;) {
    try {
      return await insist(() => ask<Session & { token: string }>(`/lab/sessions${link("study")}`, { body }));
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429) throw error;
      stage.replaceChildren(screen(study.title, [h("p", { role: "status" }, say("busy"))]));
      await pause(1000 * (4 + 6 * Math.random()));
    }
  }
}

/** A new session, after consent. */
async function begin(store: Store, study: Study, key: string): Promise<Entry | null> {
  const agreed = await showScreen(stage, (done) =>
    screen(study.title, [
      h("p", { class: "lead" }, say("length", { minutes: Math.max(1, Math.round(study.minutes)), trials: study.n_trials })),
      ...paragraphs(study.consent),
      h("h2", {}, say("stored_title")),
      ...paragraphs(study.promise),
      study.contact && h("p", { class: "contact" }, ...sayParts("questions", { contact: study.contact })),
    ], [
      { words: say("agree"), press: () => done({ agreed: true }) },
      { words: say("disagree"), press: () => done(), quiet: true },
    ]));
  if (!("agreed" in agreed)) return turnAway("declined");
  // The same secret in every attempt, also after a reload: an answer that got lost began no second session.
  const attempt: Ticket = (await store.ticket(`begun ${key}`)) ?? { key: `begun ${key}`, session: "", token: randomKey(), screen: null };
  await store.keep(attempt);
  const body = { consent: true, parameters, key: attempt.token };
  try {
    const session = await admit(study, body);
    const ticket: Ticket = { key, session: session.session, token: session.token, screen: null };
    await store.keep(ticket);
    await store.forget(attempt.key);
    return { ticket, session, back: false };
  } catch (error) {
    const reason = error instanceof Refusal ? (error.body as { reason?: string } | null)?.reason : undefined;
    if (reason === "full" || reason === "paused" || reason === "link" || reason === "returned") return turnAway(reason);
    throw error;
  }
}
