// What all plots share: the look of axes, the colours of the two classes, words for numbers.

import * as Plot from "@observablehq/plot";

export const CLASSES = ["present", "absent"] as const;
export type Class = (typeof CLASSES)[number];
export const COLOUR: Record<Class, string> = { present: "var(--present)", absent: "var(--absent)" };

export type Point = [number, number];

const BASE: Plot.PlotOptions = {
  className: "plot",
  marginTop: 12,
  marginRight: 14,
  marginBottom: 34,
  marginLeft: 44,
  style: { background: "none", fontFamily: "var(--sans)", fontSize: "12px", overflow: "visible" },
};

/** A plot without a figure around it. */
export function plot(width: number, height: number, options: Plot.PlotOptions): SVGSVGElement & Plot.Plot {
  const style = { ...BASE.style as object, fontSize: width > 440 ? "14px" : "12px" };
  return Plot.plot({ ...BASE, style, width, height, ...options }) as unknown as SVGSVGElement & Plot.Plot;
}

export const GRID = { stroke: "var(--line)", strokeOpacity: 1 };
export const seconds = (value: number): string => `${Math.round(1000 * value)} ms`;
export const share = (value: number): string => `${Number((100 * value).toPrecision(2))} %`;
