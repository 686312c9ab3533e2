// The debriefing: the participant's own results beside those of the ideal observer.

import * as Plot from "@observablehq/plot";
import { asPicture, h } from "../dom";
import type { ResultRow } from "./design";

const CLASSES = [
  { present: true, name: "target present", colour: "var(--present)" },
  { present: false, name: "target absent", colour: "var(--absent)" },
];

function rows(results: ResultRow[], who: string): { who: string; size: number; name: string; rt: number }[] {
  return results.flatMap((row) =>
    row.mean_rt === null ? [] : [{ who, size: row.set_size, name: row.present ? CLASSES[0]!.name : CLASSES[1]!.name, rt: 1000 * row.mean_rt }],
  );
}

/** Mean response times over set size: yours, and the ideal observer's dashed. */
export function resultsPlot(results: ResultRow[], ideal: ResultRow[] | null, width: number): Element {
  const mine = rows(results, "you");
  const best = ideal ? rows(ideal, "ideal observer") : [];
  const sizes = [...new Set(mine.map((row) => row.size))].sort((a, b) => a - b);
  const colour = (name: string): string => CLASSES.find((kind) => kind.name === name)!.colour;
  const svg = Plot.plot({
    className: "plot",
    width,
    height: Math.min(300, 0.62 * width),
    marginLeft: 60,
    marginBottom: 38,
    marginTop: 12,
    style: { background: "none", fontFamily: "var(--sans)", fontSize: "13px", overflow: "visible" },
    x: { domain: [0, Math.max(2, ...sizes) + 0.6], ticks: sizes, tickFormat: "d", label: "items on the display", labelAnchor: "right", labelArrow: "none" },
    y: { domain: [0, 1.08 * Math.max(1, ...[...mine, ...best].map((row) => row.rt))], label: "mean response time (ms)", labelAnchor: "center", labelArrow: "none", ticks: 5, tickFormat: String },
    marks: [
      Plot.gridY({ stroke: "var(--line)", strokeOpacity: 1, ticks: 5 }),
      Plot.line(mine, { x: "size", y: "rt", z: "name", stroke: (row) => colour(row.name), strokeWidth: 2.2 }),
      Plot.dot(mine, { x: "size", y: "rt", fill: (row) => colour(row.name), r: 4 }),
      Plot.line(best, { x: "size", y: "rt", z: "name", stroke: (row) => colour(row.name), strokeWidth: 1.8, strokeDasharray: "5 4" }),
      Plot.dot(best, { x: "size", y: "rt", stroke: (row) => colour(row.name), fill: "var(--panel)", r: 3.4 }),
    ],
  });
  return asPicture(svg, "Your mean response times over the number of items, and those of the ideal observer; the table below has the numbers.");
}

/** The same in numbers. */
export function resultsTable(results: ResultRow[], ideal: ResultRow[] | null): HTMLElement {
  const time = (row: ResultRow | undefined): string => (row?.mean_rt == null ? "–" : String(Math.round(1000 * row.mean_rt)));
  const errors = (row: ResultRow | undefined): string => (row?.error_rate == null ? "–" : (100 * row.error_rate).toFixed(0));
  const match = (row: ResultRow): ResultRow | undefined => ideal?.find((other) => other.set_size === row.set_size && other.present === row.present);
  const ordered = [...results].sort((a, b) => Number(b.present) - Number(a.present) || a.set_size - b.set_size);
  const head = ["Target", "Items", "Your time (ms)", ideal && "Ideal (ms)", "Your errors (%)", ideal && "Ideal (%)"].filter((name) => name !== null);
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": "Results in numbers" },
    h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...ordered.map((row) =>
        h("tr", {},
          h("th", { scope: "row" }, row.present ? "present" : "absent"),
          ...[String(row.set_size), time(row), ideal && time(match(row)), errors(row), ideal && errors(match(row))]
            .filter((text) => text !== null)
            .map((text) => h("td", {}, text)))))),
  );
}
