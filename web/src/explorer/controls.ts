// The controls: sliders with values in words, and choices as radio buttons.

import { h } from "../dom";
import { attentionFor, effective, QUANTITIES, strategiesFor, type Quantity, type State } from "./state";

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
};

/** How a choice is called on the page. */
export const nameOf = (name: string): string => NAMES[name] ?? name;

const WORDS: Record<string, string> = {
  optimal: "The best that anyone could do, computed exactly.",
  "a-sprt": "Sums the evidence softly, with two tuned scales: the paper’s conjecture.",
  "sprt-opt": "Thresholds on the odds of presence, tuned to this display.",
  sprt: "Thresholds on the odds of presence, as if there were one item.",
  hardmax: "Looks at the most likely item alone.",
};

const WORDS_OF_EVIDENCE: Record<string, string> = {
  drift: "Every item is seen as well as if it were alone.",
  information: "What one item gets, the others lack: attention divides it.",
};

const WORDS_OF_ATTENTION: Record<string, string> = {
  optimal: "Where to look and when to stop, optimal together.",
  serial: "Everything to the most likely location.",
  guided: "To each location in proportion to how likely it is.",
  parallel: "The same share for every location, always.",
};

interface Choice {
  legend: string;
  key: "evidence" | "attention" | "strategy";
  options: (state: State) => { name: string; why: string }[];
  words: Record<string, string>;
}

function choice({ legend, key, options, words }: Choice, change: Change): Control {
  const list = h("div", { class: "choices" });
  const said = h("p", { class: "words" });
  const element = h("fieldset", { class: `choice ${key}` }, h("legend", {}, legend), list, said);
  let shown = "";
  const show = (state: State): void => {
    const chosen = effective(state)[key];
    const offered = options(state);
    const outline = JSON.stringify(offered);
    if (outline !== shown) {
      shown = outline;
      list.replaceChildren(
        ...offered.map(({ name, why }) => {
          const id = `control-${key}-${name}`;
          const input = h("input", {
            type: "radio", name: key, id, value: name, disabled: why !== "", onchange: () => change({ [key]: name }),
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
  const evidence = choice(
    {
      legend: "Evidence", key: "evidence", words: WORDS_OF_EVIDENCE,
      options: () => [{ name: "drift", why: "" }, { name: "information", why: "" }],
    },
    change,
  );
  const attention = choice({ legend: "Attention", key: "attention", words: WORDS_OF_ATTENTION, options: attentionFor }, change);
  const strategy = choice({ legend: "Strategy", key: "strategy", words: WORDS, options: strategiesFor }, change);
  const of = (quantity: Quantity): Control => slider(quantity, change);
  const [size, prior, drift, information, visibility] = [of(q.locations), of(q.prior), of(q.drift), of(q.information), of(q.visibility)];
  const [time, miss, falseAlarm, dt, nonDecision] = [of(q.time), of(q.miss), of(q.falseAlarm), of(q.dt), of(q.nonDecision)];
  const all = [size, evidence, drift, information, visibility, prior, time, miss, falseAlarm, dt, nonDecision, attention, strategy];
  const group = (title: string, ...members: Control[]): HTMLElement =>
    h("section", { class: "group" }, h("h2", {}, title), ...members.map((member) => member.element));
  const element = h(
    "form",
    { class: "controls", "aria-label": "The search", onsubmit: (event) => event.preventDefault() },
    group("The display", size, prior),
    group("What can be seen", evidence, drift, information, visibility),
    group("What it costs", time, miss, falseAlarm),
    group("The observer", attention, strategy, nonDecision, dt),
  );
  const show = (state: State): void => {
    for (const control of all) control.show(state);
    const limited = state.evidence === "information";
    drift.element.classList.toggle("hidden", limited);
    information.element.classList.toggle("hidden", !limited);
    attention.element.classList.toggle("hidden", !limited);
  };
  return { element, show };
}
