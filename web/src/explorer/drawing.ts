// What all plots share: the look of axes, the colours of the two classes, words for numbers.

import * as Plot from "@observablehq/plot";

export const CLASSES = ["present", "absent"] as const;
export type Class = (typeof CLASSES)[number];
export const COLOUR: Record<Class, string> = { present: "var(--present)", absent: "var(--absent)" };

export type Point = [number, number];

/** Room below a plot for the numbers and the name of its axis. */
export const BELOW = 42;
/** Room left of a plot for the same. */
export const LEFT = 58;

/** A plot without a figure around it. */
export function plot(width: number, height: number, options: Plot.PlotOptions): SVGSVGElement & Plot.Plot {
  const fontSize = width > 440 ? "14px" : "12px";
  const made = Plot.plot({
    className: "plot",
    marginTop: 12,
    marginRight: 14,
    marginBottom: BELOW,
    marginLeft: LEFT,
    style: { background: "none", fontFamily: "var(--sans)", fontSize, overflow: "visible" },
    width,
    height,
    ...options,
  });
  return made as unknown as SVGSVGElement & Plot.Plot;
}

export const GRID = { stroke: "var(--line)", strokeOpacity: 1 };
export const seconds = (value: number): string => `${Math.round(1000 * value)} ms`;
export const share = (value: number): string => `${Number((100 * value).toPrecision(2))} %`;
