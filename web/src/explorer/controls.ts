// The controls: sliders with values in words, and choices as radio buttons.

import { h } from "../dom";
import { isGaze, LAYOUTS } from "./gaze";
import { attentionFor, effective, EVIDENCE, QUANTITIES, strategiesFor, type Quantity, type State } from "./state";

type Change = (change: Partial<State>) => void;

export interface Control {
  element: HTMLElement;
  show: (state: State) => void;
}

/** A slider that stops at the values of a quantity. */
export function slider(quantity: Quantity, change: Change): Control {
  const { key, stops } = quantity;
  const id = `control-${key}`;
  const value = h("output", { for: id });
  const input = h("input", {
    type: "range", id, name: key, min: 0, max: stops.length - 1, step: 1, "aria-describedby": `${id}-words`,
    oninput: () => change({ [key]: stops[Number(input.value)] }),
  });
  const element = h(
    "div",
    { class: "control", title: quantity.words },
    h("label", { for: id }, quantity.name),
    value,
    input,
    h("p", { id: `${id}-words`, class: "words" }, quantity.words, " ", glossary(quantity.term)),
  );
  const show = (state: State): void => {
    const current = state[key] as number;
    const distance = (at: number): number => Math.abs(stops[at]! - current);
    const closest = stops.reduce((best, _, at) => (distance(at) < distance(best) ? at : best), 0);
    input.value = String(closest);
    const words = quantity.show(current);
    value.textContent = words;
    input.setAttribute("aria-valuetext", words);
    input.style.setProperty("--filled", `${(100 * closest) / (stops.length - 1)}%`);
  };
  return { element, show };
}

/** A link to an entry of the glossary, which the server has beside the page. */
export function glossary(term: string, words = "Glossary"): HTMLElement {
  return h("a", { href: `/static/glossary.html#${term}`, target: "_blank", "aria-label": `${words}: ${term.replaceAll("-", " ")}` }, words);
}

const NAMES: Record<string, string> = {
  optimal: "optimal",
  "a-sprt": "a-SPRT",
  "sprt-opt": "SPRT-opt",
  sprt: "SPRT",
  hardmax: "Hardmax",
  serial: "serial",
  guided: "guided",
  parallel: "parallel",
  drift: "each its own",
  information: "shared",
  gaze: "by gaze",
  map: "MAP",
  elm: "ELM",
  ideal: "ideal searcher",
  random: "random",
  ...Object.fromEntries(Object.entries(LAYOUTS).map(([key, { name }]) => [key, name])),
};

/** How a choice is called on the page. */
export const nameOf = (name: string): string => NAMES[name] ?? name;

const WORDS: Record<string, string> = {
  optimal: "The best stopping there is, computed exactly.",
  "a-sprt": "Sums the evidence softly, with two tuned scales: the paper’s conjecture.",
  "sprt-opt": "Thresholds on the odds of presence, tuned to this display.",
  sprt: "Thresholds on the odds of presence, as if there were one item.",
  hardmax: "Looks at the most likely item alone.",
};

const WORDS_OF_EVIDENCE: Record<string, string> = {
  drift: "Every item is seen as well as if it were alone.",
  information: "What one item gets, the others lack: attention divides it.",
  gaze: "The eyes move: the nearer an item to gaze, the better it is seen.",
};

const WORDS_OF_ATTENTION: Record<string, string> = {
  optimal: "Where to look and when to stop, optimal together.",
  serial: "Everything to the most likely location.",
  guided: "To each location in proportion to how likely it is.",
  parallel: "The same share for every location, always.",
};

const WORDS_OF_GAZE: Record<string, string> = {
  optimal: "Where to fixate and when to stop, optimal together.",
  map: "At the item that is most likely the target.",
  elm: "Where posterior times visibility has the largest sum.",
  ideal: "Where the answer after one more fixation is best.",
  random: "Anywhere, by chance.",
};

const WORDS_OF_LAYOUT = Object.fromEntries(Object.entries(LAYOUTS).map(([key, { words }]) => [key, words]));

interface Choice {
  legend: string;
  key: "evidence" | "attention" | "strategy" | "layout";
  /** Of its inputs, where two choices are about the same key. */
  group?: string;
  options: (state: State) => { name: string; why: string }[];
  words: Record<string, string>;
}

function choice({ legend, key, group = key, options, words }: Choice, change: Change): Control {
  const list = h("div", { class: "choices" });
  const said = h("p", { class: "words" });
  const element = h("fieldset", { class: `choice ${group}` }, h("legend", {}, legend), list, said);
  let shown = "";
  const show = (state: State): void => {
    const chosen = effective(state)[key];
    const offered = options(state);
    const outline = JSON.stringify(offered);
    if (outline !== shown) {
      shown = outline;
      list.replaceChildren(
        ...offered.map(({ name, why }) => {
          const id = `control-${group}-${name}`;
          const input = h("input", {
            type: "radio", name: group, id, value: name, disabled: why !== "", onchange: () => change({ [key]: name }),
          });
          return h("span", { title: why || words[name] }, input, h("label", { for: id }, nameOf(name)));
        }),
      );
    }
    for (const input of list.querySelectorAll("input")) input.checked = input.value === chosen;
    const missing = offered.find(({ name, why }) => name === state[key] && why);
    said.textContent = missing ? `${nameOf(chosen)}: ${missing.why}.` : (words[chosen] ?? "");
  };
  return { element, show };
}

/** All controls, in groups, and a function that shows a state on them. */
export function controls(change: Change): Control {
  const q = QUANTITIES;
  const always = (names: readonly string[]) => () => names.map((name) => ({ name, why: "" }));
  const evidence = choice({ legend: "Evidence", key: "evidence", words: WORDS_OF_EVIDENCE, options: always(EVIDENCE) }, change);
  const layout = choice({ legend: "Places", key: "layout", words: WORDS_OF_LAYOUT, options: always(Object.keys(LAYOUTS)) }, change);
  const attention = choice({ legend: "Attention", key: "attention", words: WORDS_OF_ATTENTION, options: attentionFor }, change);
  const gaze = choice({ legend: "Gaze", key: "attention", group: "gaze", words: WORDS_OF_GAZE, options: attentionFor }, change);
  const strategy = choice({ legend: "Strategy", key: "strategy", words: WORDS, options: strategiesFor }, change);
  const of = (quantity: Quantity): Control => slider(quantity, change);
  const [size, prior, spacing] = [of(q.locations), of(q.prior), of(q.spacing)];
  const [drift, information, visibility] = [of(q.drift), of(q.information), of(q.visibility)];
  const [falloff, fixation, saccade] = [of(q.falloff), of(q.fixation), of(q.saccade)];
  const [time, miss, falseAlarm, dt, nonDecision] = [of(q.time), of(q.miss), of(q.falseAlarm), of(q.dt), of(q.nonDecision)];
  const groups: Record<string, Control[]> = {
    "The display": [size, layout, spacing, prior],
    "What can be seen": [evidence, drift, information, visibility, falloff],
    "What it costs": [time, miss, falseAlarm],
    "The observer": [attention, gaze, strategy, fixation, saccade, nonDecision, dt],
  };
  const element = h(
    "form",
    { class: "controls", "aria-label": "The search", onsubmit: (event) => event.preventDefault() },
    ...Object.entries(groups).map(([title, members]) =>
      h("section", { class: "group" }, h("h2", {}, title), ...members.map((member) => member.element))),
  );
  /** The controls that mean something for some kinds of evidence alone. */
  const only = new Map<Control, (state: State) => boolean>([
    [drift, (state) => state.evidence === "drift"], [information, (state) => state.evidence !== "drift"],
    [attention, (state) => state.evidence === "information"],
    ...[size, visibility, dt].map((each) => [each, (state: State) => !isGaze(state)] as const),
    ...[layout, spacing, falloff, fixation, saccade, gaze].map((each) => [each, isGaze] as const),
  ]);
  const show = (state: State): void => {
    for (const control of Object.values(groups).flat()) {
      const here = only.get(control)?.(state) ?? true;
      control.element.classList.toggle("hidden", !here);
      if (here) control.show(state);
    }
  };
  return { element, show };
}
