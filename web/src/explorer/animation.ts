// One example trial as it happens: evidence moves through the plane and over time, and gaze over the
// display, until the observer answers. Readers who prefer less motion see the whole path at once.

import type { ExampleTrial } from "./answers";
import { Eyes, made, type Scene } from "./scanpath";

/** How much slower than life a trial runs. */
export const SLOWER = 6;
/** Milliseconds that the end of a trial stays. */
const REST = 1600;

interface Scaled extends SVGSVGElement {
  scale(name: "x" | "y"): { apply(value: number): number } | undefined;
}

type Place = (value: number) => number;

/** A path on top of a plot that grows with the trial. */
class Trace {
  private readonly line: SVGElement;
  private readonly head: SVGElement;
  private readonly at: [number, number][];

  constructor(svg: Scaled, points: [number, number][], colour: string, width: number) {
    const place = (name: "x" | "y"): Place => {
      const scale = svg.scale(name);
      return (value) => Number(scale?.apply(value) ?? 0);
    };
    const [x, y] = [place("x"), place("y")];
    this.at = points.map(([a, b]) => [x(a), y(b)]);
    this.line = made("path", { fill: "none", stroke: colour, "stroke-width": width, "stroke-linejoin": "round", "stroke-linecap": "round", class: "trace" });
    this.head = made("circle", { r: width + 2.4, fill: colour, stroke: "var(--panel)", "stroke-width": 1.5 });
    svg.append(this.line, this.head);
  }

  /** Show the first looks, the last of them in part. */
  until(looks: number): void {
    const whole = Math.min(this.at.length - 1, Math.floor(looks));
    const shown = this.at.slice(0, whole + 1);
    const next = this.at[whole + 1];
    const last = shown[whole];
    if (!last) return;
    let tip = last;
    if (next) {
      const part = looks - whole;
      tip = [last[0] + part * (next[0] - last[0]), last[1] + part * (next[1] - last[1])];
      shown.push(tip);
    }
    this.line.setAttribute("d", `M${shown.map((point) => point.map((v) => v.toFixed(1)).join(",")).join("L")}`);
    this.head.setAttribute("cx", tip[0].toFixed(1));
    this.head.setAttribute("cy", tip[1].toFixed(1));
  }

  remove(): void {
    this.line.remove();
    this.head.remove();
  }
}

export class Animation {
  private trial: ExampleTrial | null = null;
  private scene: Scene | null = null;
  private readonly plots: Partial<Record<"plane" | "course" | "display", SVGSVGElement>> = {};
  private traces: { until: (looks: number) => void; remove: () => void }[] = [];
  private frame = 0;
  private began = 0;
  private shownFor = 0;
  /** Whether the end of this trial was told: once, for the next one may take a while to come. */
  private told = false;
  playing = false;

  constructor(private readonly ended: () => void) {}

  /** Show another trial, from its beginning; where gaze moves, over a scene. */
  load(trial: ExampleTrial, scene: Scene | null): void {
    this.trial = trial;
    this.scene = scene;
    this.told = false;
    this.shownFor = 0;
    this.began = performance.now();
    this.draw();
  }

  /** The plots that it is drawn on; they change with their size. */
  on(where: "plane" | "course" | "display", svg: SVGSVGElement): void {
    this.plots[where] = svg;
    this.draw();
  }

  /** Let it run, or hold it; held at the start it shows the whole trial. */
  play(playing: boolean): void {
    this.playing = playing;
    this.began = performance.now() - this.shownFor;
    cancelAnimationFrame(this.frame);
    if (playing) this.frame = requestAnimationFrame(this.step);
    else this.show();
  }

  /** Go on to the end of the next look; after the last comes the first. */
  forward(): void {
    const looks = (this.trial?.t.length ?? 1) - 1;
    if (looks < 1) return;
    const behind = Math.floor((this.shownFor / this.duration) * looks + 1e-6);
    this.shownFor = (((behind < looks ? behind : 0) + 1) / looks) * this.duration;
    this.show();
  }

  private readonly step = (now: number): void => {
    if (!this.playing) return;
    this.shownFor = Math.max(0, now - this.began);
    this.show();
    if (this.trial && !this.told && this.shownFor > this.duration + REST) {
      this.told = true;
      this.ended();
    }
    this.frame = requestAnimationFrame(this.step);
  };

  private get duration(): number {
    const end = this.trial?.t.at(-1) ?? 0;
    return Math.max(400, 1000 * SLOWER * end);
  }

  private show(): void {
    if (!this.trial) return;
    const looks = this.trial.t.length - 1;
    const whole = !this.playing && this.shownFor === 0;
    const share = whole ? 1 : Math.min(1, this.shownFor / this.duration);
    for (const trace of this.traces) trace.until(share * looks);
  }

  private draw(): void {
    for (const trace of this.traces) trace.remove();
    this.traces = [];
    const { trial, scene } = this;
    const { plane, course, display } = this.plots;
    if (!trial) return;
    const colour = (place: number): string => (place === trial.target ? "var(--present)" : "var(--absent)");
    if (course) {
      const many = trial.Z[0]?.length ?? 0;
      for (let place = 0; place < many; place += 1) {
        const points = trial.t.map((t, i): [number, number] => [1000 * t, trial.Z[i]![place]!]);
        this.traces.push(new Trace(course as Scaled, points, colour(place), many > 6 ? 1.2 : 1.8));
      }
    }
    if (plane && trial.Z[0]?.length === 2) {
      const points = trial.Z.map((z): [number, number] => [z[0]!, z[1]!]);
      this.traces.push(new Trace(plane as Scaled, points, "var(--ink)", 1.6));
    }
    if (display && scene && trial.fixations) this.traces.push(new Eyes(display, trial, scene));
    this.show();
  }
}
