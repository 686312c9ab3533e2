// Response times so far, by block, set size and class: a small histogram in every row.

import * as Plot from "@observablehq/plot";
import { asPicture, h } from "../dom";

export interface TimesRow {
  block: number | string;
  set_size: number;
  present: boolean;
  trials: number;
  error_rate: number | null;
  mean_rt: number | null;
  median_rt: number | null;
  counts: { correct: number[]; error: number[] };
}

export interface TimesAnswer {
  edges: number[];
  rows: TimesRow[];
}

export function timesTable({ edges, rows }: TimesAnswer): HTMLElement {
  if (rows.length === 0) return h("p", { class: "none" }, "No trials yet.");
  const reach = lastUsed(edges, rows);
  const head = ["Block", "Items", "Target", "Trials", "Errors (%)", "Mean RT (ms)", "Median RT (ms)", `0 to ${Math.round(1000 * reach)} ms`];
  const number = (value: number | null, scale: number, digits = 0): string => (value === null ? "–" : (scale * value).toFixed(digits));
  return h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Table of response times" },
    h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map((row) =>
        h("tr", {},
          h("th", { scope: "row" }, String(row.block)),
          h("td", {}, String(row.set_size)),
          h("td", { class: row.present ? "present" : "absent" }, row.present ? "present" : "absent"),
          h("td", {}, String(row.trials)),
          h("td", {}, number(row.error_rate, 100, 1)),
          h("td", {}, number(row.mean_rt, 1000)),
          h("td", {}, number(row.median_rt, 1000)),
          h("td", { class: "spark" }, spark(edges, row, reach)))))));
}

function lastUsed(edges: number[], rows: TimesRow[]): number {
  let last = 1;
  for (const { counts } of rows) {
    counts.correct.forEach((count, i) => {
      if (count + counts.error[i]! > 0) last = Math.max(last, i + 1);
    });
  }
  return edges[last] ?? 1;
}

function spark(edges: number[], row: TimesRow, reach: number): Element {
  const bars = row.counts.correct.map((count, i) => ({ from: edges[i]!, to: edges[i + 1]!, all: count + row.counts.error[i]!, error: row.counts.error[i]! }));
  const svg = Plot.plot({
    className: "plot",
    width: 180,
    height: 30,
    margin: 1,
    style: { background: "none" },
    x: { axis: null, domain: [0, reach] },
    y: { axis: null },
    marks: [
      Plot.rectY(bars, { x1: "from", x2: "to", y: "all", fill: row.present ? "var(--present)" : "var(--absent)", fillOpacity: 0.55, inset: 0 }),
      Plot.rectY(bars, { x1: "from", x2: "to", y: "error", fill: "var(--ink)", inset: 0 }),
      Plot.ruleY([0], { stroke: "var(--strong-line)" }),
    ],
  });
  return asPicture(svg, `Histogram of ${row.trials} response times, errors dark`);
}
