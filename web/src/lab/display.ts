// The search display on a canvas: oriented bars at places given in degrees of visual angle.

import type { Item, Layout } from "./design";
import { say } from "./words/speech";

/** Width of a bank card, the same everywhere (ISO/IEC 7810). */
export const CARD_WIDTH_CM = 8.56;
export const CARD_HEIGHT_CM = 5.398;
/** At this distance, an arm's length, one centimetre is one degree. */
export const DISTANCE_CM = 57.3;

/** Pixels for one degree of visual angle, from the width of a card on the screen. */
export function pixelsPerDegree(cardPixels: number): number {
  return (cardPixels / CARD_WIDTH_CM) * DISTANCE_CM * Math.tan(Math.PI / 180);
}

/** The scale at which a display of this reach fits the space, never larger than life. */
export function fitted(scale: number, reachDegrees: number, width: number, height: number): number {
  return Math.min(scale, (0.96 * Math.min(width, height)) / (2 * reachDegrees));
}

/** The grey of a bar: at full contrast the layout's own, at none the background's. */
export function shade({ background, bar }: Layout, contrast: number): number {
  return background + contrast * (bar - background);
}

export function grey(level: number): string {
  const value = Math.round(255 * Math.min(1, Math.max(0, level)));
  return `rgb(${value} ${value} ${value})`;
}

export class Board {
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;

  constructor(
    private readonly layout: Layout,
    /** Pixels for one degree, as it is drawn. */
    public scale: number,
  ) {
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", say("display"));
  }

  /** Take the size of the page, at the full resolution of the screen. */
  fit(width: number, height: number, scale: number): void {
    const ratio = devicePixelRatio || 1;
    this.scale = scale;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, (width / 2) * ratio, (height / 2) * ratio);
  }

  clear(): void {
    this.context.save();
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.fillStyle = grey(this.layout.background);
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.context.restore();
  }

  fixation(): void {
    this.clear();
    const arm = Math.max(5, 0.18 * this.scale);
    this.context.strokeStyle = grey(shade(this.layout, 1));
    this.context.lineWidth = 2;
    this.context.beginPath();
    this.context.moveTo(-arm, 0);
    this.context.lineTo(arm, 0);
    this.context.moveTo(0, -arm);
    this.context.lineTo(0, arm);
    this.context.stroke();
  }

  /** Draw the bars around the fixation cross. */
  show(items: readonly Item[]): void {
    this.fixation();
    const { context, layout, scale } = this;
    for (const item of items) {
      const half = (layout.bar_length / 2) * scale;
      const angle = (item.orientation * Math.PI) / 180;
      const [dx, dy] = [half * Math.sin(angle), -half * Math.cos(angle)];
      const [x, y] = [item.x * scale, -item.y * scale];
      context.strokeStyle = grey(shade(layout, item.contrast));
      context.lineWidth = Math.max(1, layout.bar_width * scale);
      context.lineCap = "butt";
      context.beginPath();
      context.moveTo(x - dx, y - dy);
      context.lineTo(x + dx, y + dy);
      context.stroke();
    }
  }
}
