// The researcher's page: who takes part, response times so far, export, deletion.
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
}

interface Progress {
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

async function show(): Promise<void> {
  try {
    const [progress, times] = await Promise.all([
      ask<Progress>("/researcher/progress", { token }),
      ask<TimesAnswer>("/researcher/response-times", { token }),
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
  const of = progress.most ? ` of ${progress.most}` : "";
  const facts: [string, string][] = [
    ["Participants", `${progress.participants}${of}`],
    ["Finished", String(progress.finished)],
    ["Trials", progress.trials.toLocaleString("en-GB")],
    ["Trials each", String(progress.n_trials)],
  ];
  content.replaceChildren(
    h("main", { class: "desk" },
      h("header", {},
        h("h1", {}, progress.title),
        h("div", { class: "exports" }, "Export ", ...FILES.map((file) =>
          h("button", { type: "button", id: `export-${file.route}`, onclick: () => void save(file) }, file.words)),
          h("button", { type: "button", id: "leave", class: "quiet", onclick: leave }, "Leave"))),
      h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      h("section", { "aria-labelledby": "times-title" }, h("h2", { id: "times-title" }, "Response times so far"), timesTable(times)),
      h("section", { "aria-labelledby": "people-title" }, h("h2", { id: "people-title" }, "Participants"), ownMachine(), people(progress))));
  if (focus) document.getElementById(focus)?.focus();
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
  const head = ["No.", "Came with", "Began", "Progress", "Errors (%)", "Median RT (ms)", "Dropped frames", ""];
  return h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Table of participants" },
    h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((name) => (name ? h("th", { scope: "col", class: name === "Came with" ? "came" : null }, name) : h("td", {}))))),
      h("tbody", {}, ...progress.list.map((one) => {
        const bar = h("progress", { max: progress.n_trials, "aria-label": `Trials of participant ${one.number}` });
        bar.value = one.trials;
        const came = Object.entries(one.parameters).map(([name, value]) => `${name} ${value}`).join(", ");
        return h("tr", {},
          h("th", { scope: "row" }, String(one.number)),
          h("td", { class: "came" }, came || "–"),
          h("td", {}, when(one.started)),
          h("td", { class: "share" }, bar, one.finished ? " finished" : ` ${one.trials} of ${progress.n_trials}`),
          h("td", {}, one.error_rate === null ? "–" : (100 * one.error_rate).toFixed(1)),
          h("td", {}, one.median_rt === null ? "–" : String(Math.round(1000 * one.median_rt))),
          h("td", {}, one.dropped_frames === null ? "–" : String(one.dropped_frames)),
          h("td", {}, h("button", { type: "button", id: `delete-${one.session}`, class: "quiet", "aria-label": `Delete participant ${one.number}`, onclick: () => remove(one) }, "Delete")));
      }))));
}

function when(value: string | number): string {
  const date = new Date(typeof value === "number" ? 1000 * value : value);
  return Number.isNaN(date.getTime()) ? String(value) : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

async function save(file: (typeof FILES)[number]): Promise<void> {
  try {
    const blob = await askFile(`/researcher/export/${file.route}`, { token });
    const address = URL.createObjectURL(blob);
    const link = h("a", { href: address, download: file.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    said.textContent = error instanceof Refusal ? error.message : "The export did not arrive.";
  }
}

/** Deleting cannot be undone: the number has to be typed. */
function remove(one: Participant): void {
  const input = h("input", { id: "confirm", inputmode: "numeric", autocomplete: "off", oninput: () => (button.disabled = input.value.trim() !== String(one.number)) });
  const button = h("button", { class: "danger", disabled: true }, "Delete for good");
  const close = (): void => {
    dialog.close();
    dialog.remove();
  };
  const confirmed = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (button.disabled) return;
    await ask(`/researcher/participants/${one.session}`, { method: "DELETE", token }).catch((error: unknown) => {
      said.textContent = error instanceof Error ? error.message : String(error);
    });
    close();
    await show();
  };
  const dialog = h("dialog", { "aria-labelledby": "remove-title", onclose: () => dialog.remove() },
    h("h2", { id: "remove-title" }, `Delete participant ${one.number}?`),
    h("p", {}, `All ${one.trials} trials of this participant are deleted from the server. This cannot be undone; exports that were made before are not changed.`),
    h("form", { onsubmit: (event) => void confirmed(event) },
      h("label", { for: "confirm" }, `Type ${one.number} to confirm`), input,
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
