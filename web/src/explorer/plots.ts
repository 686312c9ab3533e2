// The plots. Each function turns an answer into a picture: a drawing, its numbers and its words.

import * as Plot from "@observablehq/plot";
import type { ByClass, ExampleTrial, FrontierAnswer, SimulateAnswer, SlopesAnswer, WithHistogram } from "./answers";
import { BELOW, CLASSES, COLOUR, GRID, LEFT, plot, seconds, share, type Class, type Point } from "./drawing";
import type { OwnCell, OwnData } from "./own_data";
import type { Picture, Row } from "./panel";

/** What is laid over the answers of the server: the time that is no decision, and the reader's own trials. */
export interface Overlay {
  /** Seconds. */
  nonDecision: number;
  own: OwnData | null;
  /** Of the search that is shown. */
  size: number;
}

/** How the reader's own data look in every plot. */
const OWN = { symbol: "diamond", r: 5.5, fill: "var(--panel)", strokeWidth: 2 } as const;

function ownHere({ own, size }: Overlay): OwnCell[] {
  return own?.at(size) ?? [];
}

function ownWords(overlay: Overlay): string {
  const cells = ownHere(overlay);
  return cells.length ? ` Your data: ${cells.map((cell) => `${seconds(cell.mean)} and ${share(cell.errors)} errors if the target is ${cell.side}`).join(", ")}.` : "";
}

// ---------------------------------------------------------------- an example trial over time

/** The axes of one trial's evidence; the animation draws the paths. */
export function coursePicture(trial: ExampleTrial): Picture {
  const end = trial.t[trial.t.length - 1] ?? trial.rt;
  const values = trial.Z.flat();
  const draw = (width: number, height: number): SVGSVGElement =>
    plot(width, height, {
      marginTop: 8,
      x: { domain: [0, 1000 * Math.max(end, 0.001)], label: "time (ms)", labelAnchor: "right", labelArrow: "none", ticks: 5 },
      y: { domain: [Math.min(-1, ...values), Math.max(1, ...values)], nice: true, label: "evidence (nats)", labelAnchor: "center", labelArrow: "none", ticks: height < 110 ? 1 : height < 140 ? 2 : 4 },
      marks: [Plot.ruleY([0], GRID)],
    });
  const rows = trial.t.map((t, i) => {
    const row: Row = { t };
    trial.Z[i]?.forEach((z, place) => (row[`Z${place + 1}`] = z));
    row["posterior"] = trial.posterior[i] ?? null;
    return row;
  });
  const where = trial.target === null ? "no target" : `a target at location ${trial.target + 1}`;
  return { draw, rows, words: `Evidence over time at each location in a trial with ${where}; the answer was ${trial.response}.` };
}

// ---------------------------------------------------------------- response times

/** How often each response time occurs, by class, as a density; errors as a line. */
export function timesPicture(answer: WithHistogram, overlay: Overlay): Picture {
  const { nonDecision, own, size } = overlay;
  const edges = answer.histogram.edges.map((edge) => edge + nonDecision);
  const rows: (Row & { side: Class; from: number; to: number; density: number; errors: number })[] = [];
  for (const side of CLASSES) {
    const { correct, error } = answer.histogram[side];
    const total = sum(correct) + sum(error);
    correct.forEach((count, i) => {
      const width = edges[i + 1]! - edges[i]!;
      rows.push({
        side, from: 1000 * edges[i]!, to: 1000 * edges[i + 1]!,
        density: total ? (count + error[i]!) / total / width : 0, errors: total ? error[i]! / total / width : 0,
        correct_trials: count, error_trials: error[i]!,
      });
    });
  }
  const means = CLASSES.map((side) => ({ side, mean: 1000 * (answer.mean_rt[side] + nonDecision) }));
  const width = edges[1]! - edges[0]!;
  const ownRows = CLASSES.map((side) => ({ side, line: ownDensity(own?.of(size, side).map((trial) => trial.rt) ?? [], width) }));
  const top = Math.max(...rows.map((row) => row.density), ...ownRows.flatMap(({ line }) => line.map(([, density]) => density)), 1e-9);
  const end = 1000 * Math.max(lastUsed(answer) + nonDecision, ownEnd(own, size));
  const draw = (width: number, height: number): SVGSVGElement =>
    plot(width, height, {
      marginLeft: 12,
      x: { label: "response time (ms)", labelAnchor: "right", labelArrow: "none", ticks: 6, domain: [0, end] },
      y: { axis: null, domain: [0, 1.06 * top] },
      marks: [
        Plot.ruleY([0], { stroke: "var(--strong-line)" }),
        ...CLASSES.map((side) =>
          Plot.rectY(rows.filter((row) => row.side === side), {
            x1: "from", x2: "to", y: "density", fill: COLOUR[side], fillOpacity: 0.3, insetLeft: 0, insetRight: 0, clip: true,
          }),
        ),
        ...CLASSES.map((side) =>
          Plot.line(outline(rows.filter((row) => row.side === side)), { stroke: COLOUR[side], strokeWidth: 1.6, clip: true }),
        ),
        ...ownRows.map(({ side, line }) => Plot.line(line, { stroke: COLOUR[side], strokeWidth: 2.4, strokeDasharray: "1 4", strokeLinecap: "round", clip: true })),
        ...means.map(({ side, mean }) => Plot.ruleX([mean], { stroke: COLOUR[side], strokeDasharray: "3 3", y1: 0, y2: 1.06 * top })),
        ...legend(means.map(({ side, mean }) => ({ side, text: `${side} ${Math.round(mean)} ms` })), means[0]!.mean > 0.5 * end ? "top-left" : "top-right"),
      ],
    });
  return {
    draw,
    rows: rows.map(({ side, from, to, correct_trials, error_trials }) => ({
      target: side, from_ms: from, to_ms: to, correct: correct_trials!, errors: error_trials!,
    })),
    words: `Distributions of response times: mean ${means.map(({ side, mean }) => `${Math.round(mean)} ms if the target is ${side}`).join(", ")}.${ownWords(overlay)}`,
  };
}

/** The reader's own response times as a density, in bins of the same width where there are enough. */
function ownDensity(times: number[], width: number): Point[] {
  if (times.length === 0) return [];
  const longest = times.reduce((most, time) => Math.max(most, time), 0);
  const bin = Math.max(width, longest / Math.max(8, 2 * Math.sqrt(times.length)));
  const counts = new Map<number, number>();
  for (const time of times) counts.set(Math.floor(time / bin), (counts.get(Math.floor(time / bin)) ?? 0) + 1);
  const bins = [...counts.keys()];
  const all = Array.from({ length: Math.max(...bins) - Math.min(...bins) + 3 }, (_, at) => Math.min(...bins) - 1 + at);
  return all.flatMap((at): Point[] => {
    const density = (counts.get(at) ?? 0) / times.length / bin;
    return [[1000 * at * bin, density], [1000 * (at + 1) * bin, density]];
  });
}

/** Where nearly all of the reader's own response times end, in seconds. */
function ownEnd(own: OwnData | null, size: number): number {
  const times = CLASSES.flatMap((side) => own?.of(size, side).map((trial) => trial.rt) ?? []).sort((a, b) => a - b);
  return times[Math.floor(0.99 * (times.length - 1))] ?? 0;
}

function outline(rows: { from: number; to: number; density: number }[]): Point[] {
  return rows.flatMap((row): Point[] => [[row.from, row.density], [row.to, row.density]]);
}

/** The end of the last bin that matters: beyond lies a thousandth of the trials. */
function lastUsed(answer: WithHistogram): number {
  const { edges } = answer.histogram;
  const counts = edges.slice(1).map((_, i) =>
    sum(CLASSES.map((side) => answer.histogram[side].correct[i]! + answer.histogram[side].error[i]!)),
  );
  let left = 0.002 * sum(counts);
  let last = counts.length - 1;
  while (last > 0 && (left -= counts[last]!) > 0) last -= 1;
  return edges[last + 1]!;
}

/** The names of the classes in a corner of the plot, one below the other. */
function legend(lines: { side: Class; text: string }[], corner: "top-right" | "top-left"): Plot.Markish[] {
  const inwards = corner === "top-right" ? -2 : 4;
  return lines.map(({ side, text }, at) =>
    Plot.text([text], {
      text: () => text, frameAnchor: corner, dx: inwards, dy: 6 + 17 * at, fill: COLOUR[side], fontWeight: 600, fontSize: 13,
      stroke: "var(--panel)", strokeWidth: 4,
    }),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

// ---------------------------------------------------------------- errors

const ERRORS: Record<Class, string> = { present: "misses", absent: "false alarms" };

/** Misses and false alarms with their standard errors. */
export function errorsPicture(answer: SimulateAnswer, overlay: Overlay): Picture {
  const own = ownHere(overlay).map(({ side, errors }) => ({ name: ERRORS[side], side, errors }));
  const rows = CLASSES.map((side) => ({
    side, name: ERRORS[side], rate: answer.error_rate[side], se: answer.error_rate_se[side],
  }));
  const top = Math.max(...rows.map((row) => row.rate + 2 * row.se), ...own.map((row) => row.errors), 0.001);
  const draw = (width: number, height: number): SVGSVGElement => {
    const whole = Math.min(height, 300);
    const band = (whole - BELOW - 12) / 2;
    return plot(width, whole, {
      marginLeft: 8,
      x: { domain: [0, 110 * top], label: "errors (% of such trials)", labelAnchor: "right", labelArrow: "none", ticks: 4 },
      y: { axis: null, domain: rows.map((row) => row.name), padding: 0 },
      marks: [
        Plot.barX(rows, { x1: 0, x2: (row) => 100 * row.rate, y: "name", fill: (row) => COLOUR[row.side as Class], fillOpacity: 0.3, insetTop: 24, insetBottom: 6 }),
        Plot.ruleX([0], { stroke: "var(--strong-line)" }),
        Plot.link(rows, {
          x1: (row) => 100 * Math.max(0, row.rate - row.se), x2: (row) => 100 * (row.rate + row.se), y1: "name", y2: "name",
          stroke: (row) => COLOUR[row.side as Class], strokeWidth: 2, dy: 9,
        }),
        Plot.dot(own, { ...OWN, x: (row) => 100 * row.errors, y: "name", stroke: (row) => COLOUR[row.side as Class], dy: 9 }),
        Plot.text(rows, {
          y: "name", text: (row) => `${row.name} ${share(row.rate)}`, textAnchor: "start", dx: 3, dy: 14 - band / 2, frameAnchor: "left",
          fill: (row) => COLOUR[row.side as Class], fontWeight: 600, fontSize: 13,
        }),
      ],
    });
  };
  return {
    draw,
    rows: rows.map(({ name, rate, se }) => ({ error: name, rate, standard_error: se })),
    words: `${rows.map(({ name, rate }) => `${share(rate)} ${name}`).join(", ")}.${ownWords(overlay)}`,
  };
}

// ---------------------------------------------------------------- slopes over set size

/** Rows of one strategy over set sizes. */
export interface SlopesPart {
  name: string;
  answer: SlopesAnswer;
}

/** Mean response times over set sizes with their slopes; where the chosen strategy is not known, another one, dashed. */
export function slopesPicture(chosen: SlopesPart, beyond: SlopesPart | null, overlay: Overlay): Picture {
  const { nonDecision, own, size: current } = overlay;
  const flat = ({ name, answer }: SlopesPart) =>
    answer.rows.flatMap((row) =>
      CLASSES.map((side) => ({
        name, side, size: row.locations, rt: 1000 * (row.mean_rt[side] + nonDecision), se: 1000 * row.mean_rt_se[side], error: row.error_rate[side],
      })));
  const [rows, others] = [flat(chosen), beyond ? flat(beyond) : []];
  const mine = own?.cells.map((cell) => ({ ...cell, rt: 1000 * cell.mean })) ?? [];
  const colour = (row: { side: string }): string => COLOUR[row.side as Class];
  const sizes = [...new Set([...rows, ...others, ...mine].map((row) => row.size))].sort((a, b) => a - b);
  const { slope } = chosen.answer;
  const last = (side: Class): number => [...rows, ...others].filter((row) => row.side === side).at(-1)?.rt ?? 0;
  const order = [...CLASSES].sort((a, b) => last(b) - last(a));
  const draw = (width: number, height: number): SVGSVGElement =>
    plot(width, height, {
      marginTop: 20,
      marginRight: 18,
      x: { ticks: apart(sizes, width), tickFormat: "d", label: "set size (items)", labelAnchor: "right", labelArrow: "none", domain: [0, Math.max(...sizes) + 0.6] },
      y: { label: "mean response time (ms)", labelAnchor: "center", labelArrow: "none", ticks: 5, tickFormat: String, domain: [0, 1.35 * Math.max(...[...rows, ...others, ...mine].map((row) => row.rt))] },
      marks: [
        Plot.gridY({ stroke: "var(--line)", strokeOpacity: 1, ticks: 5 }),
        sizes.includes(current) ? Plot.ruleX([current], { stroke: "var(--wash)", strokeWidth: 14 }) : null,
        Plot.line(others, { x: "size", y: "rt", z: "side", stroke: colour, strokeWidth: 1.6, strokeDasharray: "5 4" }),
        Plot.dot(others, { x: "size", y: "rt", stroke: colour, r: 3, fill: "var(--panel)" }),
        Plot.line(rows, { x: "size", y: "rt", z: "side", stroke: colour, strokeWidth: 2 }),
        Plot.ruleX(rows, { x: "size", y1: (row) => row.rt - row.se, y2: (row) => row.rt + row.se, stroke: colour }),
        Plot.dot(rows, { x: "size", y: "rt", fill: colour, r: 3.6, stroke: "var(--panel)" }),
        Plot.line(mine, { x: "size", y: "rt", z: "side", stroke: colour, strokeWidth: 2.4, strokeDasharray: "1 4", strokeLinecap: "round" }),
        Plot.dot(mine, { ...OWN, x: "size", y: "rt", stroke: colour }),
        ...legend(order.map((side) => ({ side, text: `${side} ${signed(slope[side])} ms per item` })), "top-left"),
      ],
    });
  return {
    draw,
    rows: [
      ...[...rows, ...others].map(({ name, side, size, rt, se, error }) => ({ strategy: name, target: side, set_size: size, mean_rt_ms: rt, standard_error_ms: se, error_rate: error })),
      ...mine.map(({ side, size, rt, errors }) => ({ strategy: "own data", target: side, set_size: size, mean_rt_ms: rt, standard_error_ms: null, error_rate: errors })),
    ],
    words: `Mean response time of ${chosen.name} over set size: ${CLASSES.map((side) => `${signed(slope[side])} ms per item if the target is ${side}`).join(", ")}.${ownWords(overlay)}`,
  };
}

/** The sizes that can be written below a plot without touching each other. */
function apart(sizes: number[], width: number): number[] {
  const step = (width - 80) / (Math.max(...sizes) + 0.6);
  return sizes.reduce<number[]>((shown, size) => (shown.length && (size - shown.at(-1)!) * step < 17 ? shown : [...shown, size]), []);
}

function signed(value: number | null): string {
  if (value === null) return "?";
  const text = Math.abs(value) < 10 ? Math.abs(value).toFixed(1) : Math.abs(value).toFixed(0);
  return value < 0 ? `−${text}` : `+${text}`;
}

// ---------------------------------------------------------------- speed and accuracy

function averaged(value: number | ByClass<number>, prior: number): number {
  return typeof value === "number" ? value : prior * value.present + (1 - prior) * value.absent;
}

/** Speed against accuracy as the cost of time changes, and where the chosen strategy is. */
export function frontierPicture(
  answer: FrontierAnswer,
  frontierName: string,
  chosen: { name: string; answer: SimulateAnswer } | null,
  prior: number,
  overlay: Overlay,
): Picture {
  const rest = 1000 * overlay.nonDecision;
  const cells = ownHere(overlay);
  const byClass = (value: (cell: OwnCell) => number): number =>
    averaged({ present: value(cells.find(({ side }) => side === "present")!), absent: value(cells.find(({ side }) => side === "absent")!) }, prior);
  const own = cells.length === 2 ? [{ rt: 1000 * byClass((cell) => cell.mean), error: byClass((cell) => cell.errors), name: "your data" }] : [];
  const points = answer.points.map((point, i) => ({
    rt: rest + 1000 * averaged(point.mean_rt, prior), error: averaged(point.error_rate, prior), cost: point.time_cost, here: i === answer.chosen,
  }));
  const mark = chosen
    ? [{ rt: rest + 1000 * averaged(chosen.answer.mean_rt, prior), error: averaged(chosen.answer.error_rate, prior), name: chosen.name }]
    : points.filter((point) => point.here).map((point) => ({ ...point, name: frontierName }));
  const last = 1.08 * Math.max(...[...points, ...mark, ...own].map((point) => point.rt));
  const [named] = mark;
  /** Where the axis ends, with room for the name beside the dot. */
  const endsAt = (width: number): number =>
    Math.max(last, named ? named.rt / (1 - Math.min(0.6, (7.5 * named.name.length + 10) / (width - LEFT - 18))) : 0);
  const fastest = points.reduce((best, point) => (point.rt < best.rt ? point : best), points[0]!);
  const draw = (width: number, height: number): SVGSVGElement => {
    const onRight = (fastest.rt / endsAt(width)) * (width - LEFT - 18) > 80;
    return plot(width, height, {
      marginTop: 18,
      marginRight: 18,
      x: { label: "mean response time (ms)", labelAnchor: "right", labelArrow: "none", ticks: 5, domain: [0, endsAt(width)] },
      y: { label: "errors (%)", labelAnchor: "center", labelArrow: "none", ticks: 5, domain: [0, 115 * Math.max(...[...points, ...mark, ...own].map((point) => point.error), 0.001)] },
      marks: [
        Plot.gridY({ stroke: "var(--line)", strokeOpacity: 1, ticks: 5 }),
        Plot.line(points, { x: "rt", y: (point) => 100 * point.error, stroke: "var(--soft)", strokeWidth: 2, curve: "monotone-x" }),
        Plot.dot(points, { x: "rt", y: (point) => 100 * point.error, r: 2.6, fill: "var(--soft)", tip: false, title: (point) => `a second costs ${Number(point.cost.toPrecision(2))}` }),
        Plot.text([fastest], {
          x: "rt", y: (point) => 100 * point.error, text: (point) => `cost ${Number(point.cost.toPrecision(2))} /s`,
          textAnchor: onRight ? "end" : "start", dx: onRight ? -8 : 8, dy: -2, fill: "var(--soft)",
        }),
        Plot.dot(mark, { x: "rt", y: (point) => 100 * point.error, r: 6, fill: "var(--accent)", stroke: "var(--panel)", strokeWidth: 2 }),
        Plot.text(mark, {
          x: "rt", y: (point) => 100 * point.error, text: "name", textAnchor: "start", dx: 10, dy: -9, fill: "var(--accent)", fontWeight: 600,
          stroke: "var(--panel)", strokeWidth: 4,
        }),
        Plot.dot(own, { ...OWN, x: "rt", y: (point) => 100 * point.error, stroke: "var(--ink)" }),
        Plot.text(own, { x: "rt", y: (point) => 100 * point.error, text: "name", textAnchor: "end", dx: 4, dy: -14, fill: "var(--ink)", stroke: "var(--panel)", strokeWidth: 4 }),
      ],
    });
  };
  const rows: Row[] = [
    ...points.map(({ rt, error, cost }) => ({ strategy: frontierName, time_cost: cost, mean_rt_ms: rt, error_rate: error })),
    ...(chosen ? mark.map(({ rt, error, name }) => ({ strategy: name, time_cost: answer.points[answer.chosen]?.time_cost ?? null, mean_rt_ms: rt, error_rate: error })) : []),
  ];
  const at = mark[0];
  const words = at ? `Speed against accuracy. ${at.name}: ${seconds(at.rt / 1000)} on average with ${share(at.error)} errors.` : "Speed against accuracy.";
  return { draw, rows, words };
}
