// What each rule of gaze loses: its risk above the optimum, or above the best of them where nobody knows that.

import * as Plot from "@observablehq/plot";
import { BELOW, plot } from "./drawing";
import type { Picture } from "./panel";

/** The risk of a rule: exact with a bound of its error, or simulated with its standard error. */
export interface RuleRisk {
  rule: string;
  name: string;
  risk: number;
  error: number;
  isExact: boolean;
}

export interface Loss extends RuleRisk {
  /** Relative to the reference, with its error. */
  excess: number;
  excessError: number;
}

/** What every rule loses against the optimum if it is there, else against the best; the reference itself loses nothing. */
export function losses(risks: readonly RuleRisk[]): Loss[] {
  const lowest = risks.reduce((best, each) => (each.risk < best.risk ? each : best), risks[0]!);
  const reference = risks.find(({ rule }) => rule === "optimal") ?? lowest;
  return risks.map((each) => {
    const both = each.isExact && reference.isExact;
    const error = each === reference ? 0 : both ? each.error + reference.error : Math.hypot(each.error, reference.error);
    return { ...each, excess: each.risk / reference.risk - 1, excessError: error / reference.risk };
  });
}

const percent = (value: number): string => `${(100 * value).toFixed(1).replace("-", "−")}`;
const said = ({ name, excess, excessError }: Loss): string => `${name} ${percent(excess)} ± ${percent(excessError)} %`;

/** A bar for every rule that is not the reference, the chosen one in colour. */
export function rulesPicture(risks: readonly RuleRisk[], chosen: string): Picture {
  const rows = losses(risks);
  const bars = rows.filter((row) => row.excessError > 0);
  const end = 1.12 * Math.max(0.01, ...bars.map((row) => row.excess + row.excessError));
  const start = Math.min(0, ...bars.map((row) => row.excess - row.excessError));
  const colour = (row: Loss): string => (row.rule === chosen ? "var(--accent)" : "var(--soft)");
  const draw = (width: number, height: number): SVGSVGElement => {
    const band = (height - BELOW - 12) / Math.max(1, bars.length);
    return plot(width, height, {
      marginLeft: 10,
      x: { domain: [100 * start, 100 * end], label: "risk above the least (%)", labelAnchor: "right", labelArrow: "none", ticks: 4 },
      y: { axis: null, domain: bars.map((row) => row.name), padding: 0 },
      marks: [
        Plot.barX(bars, { x1: 0, x2: (row: Loss) => 100 * row.excess, y: "name", fill: colour, fillOpacity: 0.32, insetTop: Math.min(20, 0.55 * band), insetBottom: 4 }),
        Plot.ruleX([0], { stroke: "var(--strong-line)" }),
        Plot.link(bars, {
          x1: (row: Loss) => 100 * (row.excess - row.excessError), x2: (row: Loss) => 100 * (row.excess + row.excessError), y1: "name", y2: "name",
          stroke: colour, strokeWidth: 2, dy: Math.min(20, 0.55 * band) / 2 - 2,
        }),
        Plot.text(bars, {
          y: "name", text: said, textAnchor: "start", frameAnchor: "left", dx: 4, dy: Math.min(10, 0.28 * band) - band / 2,
          fill: colour, fontWeight: 600, fontSize: 12.5, stroke: "var(--panel)", strokeWidth: 4,
        }),
      ],
    });
  };
  return {
    draw,
    rows: rows.map(({ name, risk, error, isExact, excess, excessError }) => ({
      gaze: name, risk, error_of_risk: error, exact: isExact ? "yes" : "no", excess_percent: 100 * excess, error_of_excess_percent: 100 * excessError,
    })),
    words: `Risk above the least: ${bars.map(said).join(", ")}.`,
  };
}
