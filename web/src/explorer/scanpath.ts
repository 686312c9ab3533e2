// Where the eyes go in one trial: items at their places, filled by how likely each is to be the target, and the
// fixations in order. The display stands still; `Eyes` moves over it.

import type { ExampleTrial } from "./answers";
import { BELOW, LEFT, plot } from "./drawing";
import type { Place } from "./gaze";
import type { Picture, Row } from "./panel";

/** What the eyes move over. */
export interface Scene {
  items: readonly Place[];
  /** Degrees from gaze at which an item gets half of the information, and a quarter. */
  rings: readonly number[];
  /** Degrees from an item to its neighbour. */
  spacing: number;
  /** Share of a step for which gaze rests. */
  rests: number;
}

const TOP = 12;
const RIGHT = 14;
const SVG = "http://www.w3.org/2000/svg";

export function made(tag: string, attributes: Record<string, string | number>, ...children: Element[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Ends of both axes, on which a degree is equally long and the items lie in the middle. */
export function frame({ items, spacing }: Scene, width: number, height: number): { x: [number, number]; y: [number, number] } {
  const ends = [0, 1].map((k) => [Math.min(...items.map((item) => item[k]!)), Math.max(...items.map((item) => item[k]!))] as const);
  const each = Math.max(...ends.map(([low, high], k) => (high - low + 1.3 * spacing) / [width, height][k]!));
  const [x, y] = ends.map(([low, high], k): [number, number] => {
    const half = (each * [width, height][k]!) / 2;
    return [(low + high) / 2 - half, (low + high) / 2 + half];
  });
  return { x: x!, y: y! };
}

/** The display, empty, and what the fixations were. */
export function displayPicture(trial: ExampleTrial, scene: Scene): Picture {
  const draw = (width: number, height: number): SVGSVGElement => {
    const { x, y } = frame(scene, width - LEFT - RIGHT, height - TOP - BELOW);
    return plot(width, height, {
      x: { domain: x, label: "degrees", labelAnchor: "right", labelArrow: "none", ticks: 5 },
      y: { domain: y, label: "degrees", labelAnchor: "center", labelArrow: "none", ticks: 4 },
    });
  };
  const fixations = trial.fixations ?? [];
  const rows = fixations.map(({ gaze, x, y, onset, duration, likely }) => {
    const row: Row = { gaze: gaze + 1, x, y, onset, duration };
    likely.forEach((share, item) => (row[`P${item + 1}`] = share));
    return row;
  });
  const where = trial.target === null ? "no target" : `a target at item ${trial.target + 1}`;
  const path = fixations.map(({ x, y }) => `(${tidy(x)}, ${tidy(y)})`).join(", then ") || "nothing";
  const words = `Display with ${where}. Gaze rests at ${path}; the answer was ${trial.response ?? "none"}.`;
  return { draw, rows, words };
}

const tidy = (value: number): number => Number(value.toFixed(2));

/** Which places were fixated so far, each with the numbers of its fixations. */
export function visits(fixations: readonly { gaze: number }[], until: number): Map<number, number[]> {
  const seen = new Map<number, number[]>();
  fixations.slice(0, until).forEach(({ gaze }, at) => seen.set(gaze, [...(seen.get(gaze) ?? []), at + 1]));
  return seen;
}

/** Items and gaze on top of the display, as they are after a number of fixations, whole or in part. */
export class Eyes {
  private readonly root: SVGElement;
  private readonly items: SVGElement[];
  private readonly rings: SVGElement[];
  private readonly line = made("path", { fill: "none", stroke: "var(--ink)", "stroke-width": 1.6, "stroke-linejoin": "round", class: "trace" });
  private readonly gaze = made("circle", { r: 5.5, fill: "var(--accent)", stroke: "var(--panel)", "stroke-width": 2 });
  private readonly numbers = made("g", { fill: "var(--ink)", stroke: "var(--panel)", "stroke-width": 3, "paint-order": "stroke", "font-weight": 600, "text-anchor": "middle" });
  private readonly at: [number, number][];
  /** How far above an item its numbers stand. */
  private readonly above: number;

  constructor(svg: SVGSVGElement, private readonly trial: ExampleTrial, private readonly scene: Scene) {
    const box = svg.viewBox.baseVal;
    const [width, height] = [box.width - LEFT - RIGHT, box.height - TOP - BELOW];
    const { x, y } = frame(scene, width, height);
    const degree = width / (x[1] - x[0]);
    const place = ([a, b]: Place): [number, number] => [(a - x[0]) * degree, (y[1] - b) * degree];
    const r = Math.max(4, Math.min(15, 0.2 * scene.spacing * degree));
    this.above = r + 7;
    this.at = this.fixations.map((each) => place([each.x, each.y]));
    const circle = (at: Place, more: Record<string, string | number>): SVGElement => made("circle", { cx: place(at)[0], cy: place(at)[1], ...more });
    this.items = scene.items.map((item) => circle(item, { r, fill: "var(--present)", stroke: "var(--strong-line)" }));
    this.rings = scene.rings.map((ring) => made("circle", { r: ring * degree, fill: "var(--accent)", "fill-opacity": 0.07, stroke: "var(--accent)", "stroke-opacity": 0.45, "stroke-dasharray": "3 4" }));
    const target = trial.target === null ? [] : [circle(scene.items[trial.target]!, { r: r + 4, fill: "none", stroke: "var(--present)", "stroke-width": 2 })];
    // A picture within the picture, at whose edge the rings end.
    this.root = made("svg", { x: LEFT, y: TOP, width, height, class: "eyes" },
      ...this.rings, ...this.items, ...target, this.line, this.gaze, this.numbers);
    svg.append(this.root);
  }

  private get fixations(): NonNullable<ExampleTrial["fixations"]> {
    return this.trial.fixations ?? [];
  }

  /** Show what is known after so many fixations; of one that has begun, where gaze is. */
  until(looks: number): void {
    const { fixations, at, trial } = this;
    const over = Math.min(fixations.length, Math.floor(looks + 1e-9));
    const before = (trial.posterior[0] ?? 0) / this.items.length;
    const likely = fixations[over - 1]?.likely;
    this.items.forEach((item, k) => item.setAttribute("fill-opacity", (likely?.[k] ?? before).toFixed(3)));
    const begun = Math.min(fixations.length, over + 1);
    const path = at.slice(0, begun);
    let here = path.at(-1);
    const next = at[over + 1];
    const moved = (looks - over - this.scene.rests) / (1 - this.scene.rests);
    if (here && next && moved > 0) {
      here = [here[0] + moved * (next[0] - here[0]), here[1] + moved * (next[1] - here[1])];
      path.push(here);
    }
    this.line.setAttribute("d", path.length ? `M${path.map((point) => point.map((v) => v.toFixed(1)).join(",")).join("L")}` : "");
    for (const part of [this.gaze, ...this.rings]) {
      part.setAttribute("visibility", here ? "visible" : "hidden");
      part.setAttribute("cx", (here?.[0] ?? 0).toFixed(1));
      part.setAttribute("cy", (here?.[1] ?? 0).toFixed(1));
    }
    this.numbers.replaceChildren(...[...visits(fixations, begun).values()].map((numbers) => {
      const [x, y] = at[numbers[0]! - 1]!;
      const text = made("text", { x, y: y - this.above });
      text.textContent = numbers.join(", ");
      return text;
    }));
  }

  remove(): void {
    this.root.remove();
  }
}
