// How taking part ends: with results and thanks, by withdrawal, or with answers that the server refuses.

import { ask, type Refusal } from "../api";
import { download, h, type Child } from "../dom";
import { isOwnMachine } from "../own_machine";
import type { Finish, TrialRecord } from "./design";
import type { Entry } from "./entering";
import { resultsPlot, resultsTable } from "./results";
import { paragraphs, screen, type Action } from "./screens";
import { signed } from "./search";
import type { Sender } from "./sender";
import { insist, stage, wait } from "./stage";
import type { Store } from "./store";
import { number, say, sayParts } from "./words/speech";

/** All that a participant who stops, or makes room for the next one, leaves behind here. */
export interface Leaving {
  entry: Entry;
  store: Store;
  sender: Sender;
}

/** End the session, and show what came of it. */
export async function conclude(leaving: Leaving): Promise<void> {
  const { ticket } = leaving.entry;
  const finish = await insist(() => ask<Finish>(`/lab/sessions/${ticket.session}/finish`, { method: "POST", token: ticket.token }));
  await leaveFullScreen();
  stage.replaceChildren(thanks(leaving, finish));
  scrollTo(0, 0);
}

async function leaveFullScreen(): Promise<void> {
  document.body.classList.remove("running");
  if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
}

function thanks(leaving: Leaving, finish: Finish): HTMLElement {
  const { design, number: own } = leaving.entry.session;
  const { results } = finish;
  return screen(say("thanks_title"), [
    ...paragraphs(design.debriefing),
    ...payment(finish),
    h("h2", {}, say("results_title")),
    h("p", {}, say("results")),
    h("p", { class: "key" }, h("b", { class: "present" }, say("target_present")), " ", h("b", { class: "absent" }, say("target_absent"))),
    h("div", { class: "results" }, resultsPlot(results, Math.min(620, innerWidth - 74))),
    resultsTable(results),
    h("p", {}, say("points", { points: signed(finish.points) })),
    h("p", { class: "number" }, ...sayParts("number", { number: h("strong", {}, number(own, { useGrouping: false })) })),
    design.contact && h("p", { class: "contact" }, say("contact", { contact: design.contact })),
  ], [...nextAction(leaving), withdrawAction(leaving, finish)]);
}

/** What participants need in order to be paid. */
function payment({ completion_code, redirect, withheld }: Finish): Child[] {
  return [
    withheld && h("p", { class: "withheld" }, say("withheld")),
    completion_code && h("p", { class: "code" }, ...sayParts("code", { code: h("strong", {}, completion_code) })),
    redirect && h("p", {}, h("a", { class: "button", href: redirect, rel: "noreferrer" }, say("redirect"))),
  ];
}

/** On a computer of the researchers: make room for the next one, once all answers are sent. */
export function nextAction({ entry, store, sender }: Leaving): Action[] {
  const next = async (): Promise<void> => {
    wait(say("sending"));
    sender.hurry();
    await sender.empty();
    await store.forget(entry.ticket.key);
    location.reload();
  };
  return isOwnMachine() ? [{ words: say("next_participant"), press: () => void next(), quiet: true }] : [];
}

/** Delete all that is stored of this participant, here and on the server. */
export function withdrawAction(leaving: Leaving, finish: Finish | null = null): Action {
  const { entry: { ticket }, store, sender } = leaving;
  const withdraw = async (): Promise<void> => {
    wait(say("moment"));
    sender.close();
    await insist(() => ask(`/lab/sessions/${ticket.session}`, { method: "DELETE", token: ticket.token }));
    await store.remove(ticket.session, (await store.waiting(ticket.session)).map((trial) => trial.index));
    await store.forget(ticket.key);
    await leaveFullScreen();
    // Whoever was to be paid for all of it still is.
    stage.replaceChildren(screen(say("withdrawn_title"), [h("p", {}, say("withdrawn")), ...(finish ? payment(finish) : [])]));
  };
  const confirm = (): void => {
    const close = (): void => dialog.close();
    const sure = (): void => {
      close();
      void withdraw();
    };
    const dialog = h("dialog", { "aria-labelledby": "withdraw-title", onclose: () => dialog.remove() },
      h("h2", { id: "withdraw-title" }, say("withdraw_title")),
      h("p", {}, say("withdraw_words")),
      h("div", { class: "actions" },
        h("button", { type: "button", class: "danger", onclick: sure }, say("withdraw_yes")),
        h("button", { type: "button", onclick: close }, say("withdraw_no"))));
    document.body.append(dialog);
    dialog.showModal();
  };
  return { words: say("withdraw"), press: confirm, quiet: true };
}

/** The server refuses what was sent: the participant can hand it over as a file. */
export function handOver(trials: TrialRecord[], refusal: Refusal, session: string): void {
  const save = (): void => download(`${session}.json`, "application/json", JSON.stringify({ session, trials }));
  stage.replaceChildren(
    screen(say("handover_title"), [h("p", {}, say("handover")), h("p", { class: "small" }, refusal.message)],
      [{ words: say("save"), press: save }]));
}
