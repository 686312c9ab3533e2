// The researcher's page: who takes part, response times so far, export, pause, places and deletion.
//
// The token is typed in, kept for this tab alone, and sent with every request.

import { ask, askFile, Refusal } from "../api";
import { h } from "../dom";
import { isOwnMachine, setOwnMachine } from "../own_machine";
import { themeButton } from "../theme";
import { timesTable, type TimesAnswer } from "./times";

interface Participant {
  session: string;
  number: number;
  parameters: Record<string, string>;
  started: string | number;
  finished: string | number | null;
  last: string | number | null;
  trials: number;
  error_rate: number | null;
  median_rt: number | null;
  dropped_frames: number | null;
  released: boolean;
  /** Does not count and has no code, since the trials claim more seconds than had elapsed. */
  withheld: boolean;
  claimed: number | null;
  elapsed: number | null;
  checks: number;
  checks_failed: number;
}

interface Progress {
  studies: string[];
  study: string;
  door: "open" | "full" | "paused" | "link";
  taken: number;
  title: string;
  participants: number;
  finished: number;
  trials: number;
  n_trials: number;
  most: number | null;
  list: Participant[];
}

const KEY = "popout-researcher";
const EVERY = 10_000;
const FILES = [
  { route: "csv", name: "trials.csv", words: "CSV" },
  { route: "parquet", name: "trials.parquet", words: "Parquet" },
  { route: "psych-ds", name: "psych-ds.zip", words: "Psych-DS" },
];

let token = sessionStorage.getItem(KEY) ?? "";
let study = new URLSearchParams(location.search).get("study") ?? "";
/** Sessions of the participants that are chosen. */
let chosen = new Set<string>();
const content = h("div", { id: "content" });
const said = h("p", { id: "said", role: "status" });

// ------------------------------------------------------------------ the door

function door(words = ""): void {
  const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true, spellcheck: "false" });
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    token = input.value.trim();
    await show();
  };
  content.replaceChildren(
    h("main", { class: "door" },
      h("h1", {}, "For researchers"),
      h("p", {}, "The server showed a token when it was started for the first time. It is needed to see data, export or delete them."),
      h("form", { onsubmit: (event) => void enter(event) },
        h("label", { for: "token" }, "Token"), input,
        h("button", { class: "main" }, "Enter")),
      h("p", { class: "fault", role: "alert" }, words)));
  input.focus();
}

// ------------------------------------------------------------------ the desk

/** A route of the study that is shown. */
function route(name: string): string {
  return `/researcher/${name}${study ? `?${new URLSearchParams({ study })}` : ""}`;
}

async function show(): Promise<void> {
  try {
    const [progress, times] = await Promise.all([
      ask<Progress>(route("progress"), { token }),
      ask<TimesAnswer>(route("response-times"), { token }),
    ]);
    sessionStorage.setItem(KEY, token);
    const open = document.querySelector("dialog[open]");
    if (!open) desk(progress, times);
    said.textContent = "";
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) {
      sessionStorage.removeItem(KEY);
      token = "";
      return door("This is not the token.");
    }
    if (error instanceof Refusal) return door(error.message);
    said.textContent = "The server does not answer. Trying again …";
  }
}

function desk(progress: Progress, times: TimesAnswer): void {
  const focus = document.activeElement?.id;
  const there = new Set(progress.list.map((one) => one.session));
  chosen = new Set([...chosen].filter((session) => there.has(session)));
  const facts: [string, string][] = [
    ["Places taken", progress.most ? `${progress.taken} of ${progress.most}` : String(progress.taken)],
    ["Participants", String(progress.participants)],
    ["Finished", String(progress.finished)],
    ["Trials", progress.trials.toLocaleString("en-GB")],
    ["Trials each", String(progress.n_trials)],
  ];
  content.replaceChildren(
    h("main", { class: "desk" },
      h("header", {},
        h("h1", {}, progress.title),
        ...studies(progress),
        h("div", { class: "exports" }, pauseButton(progress), "Export ", ...FILES.map((file) =>
          h("button", { type: "button", id: `export-${file.route}`, onclick: () => void save(file) }, file.words)),
          h("button", { type: "button", id: "leave", class: "quiet", onclick: leave }, "Leave"))),
      h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      h("section", { "aria-labelledby": "times-title" }, h("h2", { id: "times-title" }, "Response times so far"), timesTable(times)),
      h("section", { "aria-labelledby": "people-title" }, h("h2", { id: "people-title" }, "Participants"), ownMachine(), people(progress))));
  if (focus) document.getElementById(focus)?.focus();
}

/** A choice between the studies of this server, where there are several. */
function studies(progress: Progress): HTMLElement[] {
  if (progress.studies.length < 2) return [];
  const list = h("select", { id: "study", onchange: () => choose() }, ...progress.studies.map((name) => h("option", { value: name, selected: name === progress.study }, name)));
  const choose = (): void => {
    study = list.value;
    chosen.clear();
    void show();
  };
  return [h("label", { for: "study", class: "study" }, "Study ", list)];
}

function pauseButton({ door }: Progress): HTMLElement {
  const paused = door === "paused";
  const words = paused ? "Let people in again" : "Pause";
  return h("button", { type: "button", id: "pause", title: "Lets nobody new in; those who have begun go on", onclick: () => void change(route("paused"), { paused: !paused }, "PUT") }, words);
}

/** Change something on the server, and show what it is like then. */
async function change(address: string, body: unknown, method = "POST"): Promise<void> {
  let words = "";
  await ask(address, { method, body, token }).catch((error: unknown) => (words = error instanceof Error ? error.message : String(error)));
  await show();
  if (words) said.textContent = words;
}

/** Whether participants follow each other at this very computer. */
function ownMachine(): HTMLElement {
  const box = h("input", { type: "checkbox", id: "own-machine", onchange: () => setOwnMachine(box.checked) });
  box.checked = isOwnMachine();
  return h("p", { class: "own" }, box,
    h("label", { for: "own-machine" }, "Participants take part at this computer, one after the other: the last page then has “Next participant”, and "),
    h("a", { href: "/lab" }, "/lab"), " begins anew.");
}

function people(progress: Progress): HTMLElement {
  if (progress.list.length === 0) return h("p", { class: "none" }, "Nobody has taken part yet.");
  const checks = progress.list.some((one) => one.checks > 0);
  const head = ["", "No.", "Came with", "Began", "Progress", "Errors (%)", ...(checks ? ["Checks failed"] : []), "Median RT (ms)", "Dropped frames"];
  const boxes = new Map<string, HTMLInputElement>();
  const some = (): string[] => progress.list.map((one) => one.session).filter((session) => chosen.has(session));
  const count = h("span", { id: "chosen", role: "status" });
  const free = h("button", { type: "button", id: "release", title: "Their places go to others; their trials stay", onclick: () => void change(route("participants/release"), { sessions: some() }) }, "Free their places");
  const good = h("button", { type: "button", id: "accept", title: "They count after all, and get their code", onclick: () => void change(route("participants/accept"), { sessions: some() }) }, "Accept");
  const away = h("button", { type: "button", id: "delete", class: "danger", onclick: () => remove(progress.list.filter((one) => chosen.has(one.session))) }, "Delete …");
  const mark = (): void => {
    for (const [session, box] of boxes) box.checked = chosen.has(session);
    count.textContent = `${chosen.size} chosen`;
    free.disabled = away.disabled = chosen.size === 0;
    good.hidden = !progress.list.some((one) => one.withheld);
    good.disabled = !progress.list.some((one) => one.withheld && chosen.has(one.session));
  };
  const choose = (which: (one: Participant) => boolean): void => {
    chosen = new Set(progress.list.filter(which).map((one) => one.session));
    mark();
  };
  const tick = (one: Participant): HTMLInputElement => {
    const box = h("input", { type: "checkbox", id: `choose-${one.session}`, "aria-label": `Choose participant ${one.number}`, onchange: () => {
      if (box.checked) chosen.add(one.session);
      else chosen.delete(one.session);
      mark();
    } });
    boxes.set(one.session, box);
    return box;
  };
  const choices = h("div", { class: "choices" },
    h("button", { type: "button", id: "choose-unfinished", class: "quiet", onclick: () => choose((one) => !one.finished) }, "Choose unfinished"),
    h("button", { type: "button", id: "choose-all", class: "quiet", onclick: () => choose(() => true) }, "all"),
    h("button", { type: "button", id: "choose-none", class: "quiet", onclick: () => choose(() => false) }, "none"),
    count, free, good, away);
  const table = h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Table of participants" },
    h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((name) => (name ? h("th", { scope: "col", class: name === "Came with" ? "came" : null }, name) : h("td", {}))))),
      h("tbody", {}, ...progress.list.map((one) => {
        const bar = h("progress", { max: progress.n_trials, "aria-label": `Trials of participant ${one.number}` });
        bar.value = one.trials;
        const came = Object.entries(one.parameters).map(([name, value]) => `${name} ${value}`).join(", ");
        return h("tr", {},
          h("td", {}, tick(one)),
          h("th", { scope: "row" }, String(one.number)),
          h("td", { class: "came" }, came || "–"),
          h("td", {}, when(one.started)),
          h("td", { class: "share" }, bar, one.finished ? " finished" : ` ${one.trials} of ${progress.n_trials}`, one.released ? ", place freed" : "", haste(one)),
          h("td", {}, one.error_rate === null ? "–" : (100 * one.error_rate).toFixed(1)),
          checks && h("td", {}, one.checks ? `${one.checks_failed} of ${one.checks}` : "–"),
          h("td", {}, one.median_rt === null ? "–" : String(Math.round(1000 * one.median_rt))),
          h("td", {}, one.dropped_frames === null ? "–" : String(one.dropped_frames)));
      }))));
  mark();
  return h("div", {}, choices, table);
}

/** What is the matter with somebody who was faster than trials can be done. */
function haste({ withheld, claimed, elapsed }: Participant): HTMLElement | null {
  if (!withheld) return null;
  const words = `Its trials take ${Math.round(claimed ?? 0)} s or more; they were sent ${Math.round(elapsed ?? 0)} s after it began. It does not count, and got no code.`;
  return h("span", { class: "haste", title: words }, `, too fast: ${Math.round(claimed ?? 0)} s of trials in ${Math.round(elapsed ?? 0)} s`);
}

function when(value: string | number): string {
  const date = new Date(typeof value === "number" ? 1000 * value : value);
  return Number.isNaN(date.getTime()) ? String(value) : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

async function save(file: (typeof FILES)[number]): Promise<void> {
  try {
    const blob = await askFile(route(`export/${file.route}`), { token });
    const address = URL.createObjectURL(blob);
    const link = h("a", { href: address, download: file.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    said.textContent = error instanceof Refusal ? error.message : "The export did not arrive.";
  }
}

/** Deleting cannot be undone: the number has to be typed, of the participant or of how many they are. */
function remove(gone: Participant[]): void {
  const [first] = gone;
  if (!first) return;
  const own = gone.length === 1;
  const typed = String(own ? first.number : gone.length);
  const trials = gone.reduce((sum, one) => sum + one.trials, 0);
  const input = h("input", { id: "confirm", inputmode: "numeric", autocomplete: "off", oninput: () => (button.disabled = input.value.trim() !== typed) });
  const button = h("button", { class: "danger", disabled: true }, "Delete for good");
  const close = (): void => {
    dialog.close();
    dialog.remove();
  };
  const confirmed = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (button.disabled) return;
    close();
    await change(route("participants/delete"), { sessions: gone.map((one) => one.session) });
  };
  const dialog = h("dialog", { "aria-labelledby": "remove-title", onclose: () => dialog.remove() },
    h("h2", { id: "remove-title" }, own ? `Delete participant ${first.number}?` : `Delete ${gone.length} participants?`),
    h("p", {}, `All ${trials} trials of ${own ? "this participant" : "these participants"} are deleted from the server. This cannot be undone; exports that were made before are not changed.`),
    h("form", { onsubmit: (event) => void confirmed(event) },
      h("label", { for: "confirm" }, `Type ${typed} to confirm`), input,
      h("div", { class: "actions" }, button, h("button", { type: "button", onclick: close }, "Keep"))));
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}

function leave(): void {
  sessionStorage.removeItem(KEY);
  token = "";
  door();
}

document.body.append(
  h("header", { class: "top" }, h("a", { href: "/" }, "popout"), themeButton()),
  content,
  said,
);
if (token) void show();
else door();
setInterval(() => {
  if (token && !document.hidden) void show();
}, EVERY);
