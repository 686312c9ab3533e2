// The debriefing: the participant's own results.

import * as Plot from "@observablehq/plot";
import { asPicture, h } from "../dom";
import type { ResultRow } from "./design";
import { number, say } from "./words/speech";

const colour = (row: { present: boolean }): string => (row.present ? "var(--present)" : "var(--absent)");

/** Mean response times over set size. */
export function resultsPlot(results: ResultRow[], width: number): Element {
  const rows = results.flatMap((row) => (row.mean_rt === null ? [] : [{ ...row, rt: 1000 * row.mean_rt }]));
  const sizes = [...new Set(rows.map((row) => row.set_size))].sort((a, b) => a - b);
  const svg = Plot.plot({
    className: "plot",
    width,
    height: Math.min(300, 0.62 * width),
    marginLeft: 60,
    marginBottom: 44,
    marginTop: 12,
    style: { background: "none", fontFamily: "var(--sans)", fontSize: "13px", overflow: "visible" },
    x: { domain: [0, Math.max(2, ...sizes) + 0.6], ticks: sizes, tickFormat: "d", label: say("items_axis"), labelAnchor: "right", labelArrow: "none" },
    y: { domain: [0, 1.08 * Math.max(1, ...rows.map((row) => row.rt))], label: say("time_axis"), labelAnchor: "center", labelArrow: "none", ticks: 5, tickFormat: String },
    marks: [
      Plot.gridY({ stroke: "var(--line)", strokeOpacity: 1, ticks: 5 }),
      Plot.line(rows, { x: "set_size", y: "rt", z: "present", stroke: colour, strokeWidth: 2.2 }),
      Plot.dot(rows, { x: "set_size", y: "rt", fill: colour, r: 4 }),
    ],
  });
  return asPicture(svg, say("plot"));
}

/** The same in numbers. */
export function resultsTable(results: ResultRow[]): HTMLElement {
  const whole = (value: number | null, scale: number): string => (value === null ? "–" : number(scale * value, { maximumFractionDigits: 0 }));
  const ordered = [...results].sort((a, b) => Number(b.present) - Number(a.present) || a.set_size - b.set_size);
  const head = [say("column_target"), say("column_items"), say("column_time"), say("column_errors")];
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": say("table") },
    h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...ordered.map((row) =>
        h("tr", {},
          h("th", { scope: "row" }, say(row.present ? "present" : "absent")),
          ...[String(row.set_size), whole(row.mean_rt, 1000), whole(row.error_rate, 100)].map((text) => h("td", {}, text)))))),
  );
}
