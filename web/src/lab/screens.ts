// Screens to read and to answer, as a plugin of jsPsych, and the calibration of the screen.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { h, type Child } from "../dom";
import { CARD_HEIGHT_CM, CARD_WIDTH_CM, pixelsPerDegree } from "./display";
import { keyName } from "./keys";
import { say } from "./words/speech";

/** Builds a screen; calls `done` when the participant goes on. */
export type Build = (done: (data?: object) => void) => HTMLElement;

const info = {
  name: "screen",
  version: "1.0.0",
  parameters: { build: { type: ParameterType.FUNCTION, default: undefined } },
  data: {},
} as const;

export class ScreenPlugin implements JsPsychPlugin<typeof info> {
  static info = info;

  constructor(readonly jsPsych: JsPsych) {}

  trial(element: HTMLElement, parameters: TrialType<typeof info>): Promise<Record<string, unknown>> {
    return showScreen(element, parameters.build as Build) as Promise<Record<string, unknown>>;
  }
}

/** Show a screen outside of a timeline. */
export function showScreen(element: HTMLElement, build: Build): Promise<object> {
  return new Promise((resolve) => {
    element.replaceChildren(build((data = {}) => resolve(data)));
    element.querySelector<HTMLElement>("[data-first]")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}

/** Paragraphs of a text; an empty line begins a new one. */
export function paragraphs(text: string): HTMLElement[] {
  return text.split(/\n\s*\n/).map((part) => part.trim()).filter(Boolean).map((part) => h("p", {}, part));
}

export interface Action {
  words: string;
  press: () => void;
  quiet?: boolean;
}

/** A screen with a heading, some content and buttons; the first button is the usual one. */
export function screen(title: string, content: Child[], buttons: Action[] = []): HTMLElement {
  return h(
    "main",
    { class: "screen" },
    h("h1", {}, title),
    ...content,
    buttons.length > 0 &&
      h("div", { class: "actions" },
        ...buttons.map(({ words, press, quiet }, at) =>
          h("button", { type: "button", class: quiet ? "quiet" : "main", "data-first": at === 0, onclick: press }, words))),
  );
}

export function keyCap(key: string): HTMLElement {
  return h("kbd", {}, keyName(key));
}

/** The card method: the participant makes a drawn card as large as a real one. */
export function calibration(): Build {
  return (done) => {
    const card = h("div", { class: "card", "aria-hidden": "true" }, h("span", {}), h("i", {}));
    const slider = h("input", {
      type: "range", id: "card-width", min: 160, max: 760, step: 1, value: 324, "data-first": true, "aria-describedby": "card-words", oninput: () => show(),
    });
    const show = (): void => {
      const width = Number(slider.value);
      card.style.width = `${width}px`;
      card.style.height = `${(width * CARD_HEIGHT_CM) / CARD_WIDTH_CM}px`;
      slider.style.setProperty("--filled", `${((width - 160) / 600) * 100}%`);
    };
    show();
    return screen(
      say("card_title"),
      [
        h("p", { id: "card-words" }, say("card")),
        h("div", { class: "card-room" }, card),
        h("label", { for: "card-width", class: "only-heard" }, say("card_width")),
        slider,
        h("p", { class: "small" }, say("distance")),
      ],
      [{ words: say("card_fits"), press: () => done({ pixels_per_degree: pixelsPerDegree(Number(slider.value)) }) }],
    );
  };
}

/** Ask for the whole screen; those who cannot or do not want to go on without. */
export async function fillScreen(): Promise<void> {
  try {
    if (!document.fullscreenElement) await document.documentElement.requestFullscreen({ navigationUI: "hide" });
  } catch {
    // Telephones may refuse; each trial says whether it was in full screen.
  }
}
