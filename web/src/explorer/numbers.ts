// The strip of numbers above the plots.

import { h } from "../dom";
import type { WithHistogram } from "./answers";

const FACTS = [
  { key: "risk", name: "Risk", words: "errors and decision time together, in units of one error" },
  { key: "present", name: "Target found in", words: "mean response time, target present, non-decision time included" },
  { key: "absent", name: "Given up after", words: "mean response time, target absent, non-decision time included" },
  { key: "misses", name: "Misses", words: "share of targets that are not found" },
  { key: "alarms", name: "False alarms", words: "share of empty displays called “present”" },
  { key: "loss", name: "Above the optimum", words: "how much higher the risk is than it could be" },
] as const;

/** A risk that was solved, with its error. */
export interface Known {
  risk: number;
  error: number;
}

type Key = (typeof FACTS)[number]["key"];

export class Numbers {
  readonly element: HTMLElement;
  private readonly values = new Map<Key, HTMLElement>();
  private simulated: WithHistogram | null = null;
  private lowest: Known | null = null;
  private solved: Known | null = null;

  constructor() {
    const facts = FACTS.map(({ key, name, words }) => {
      const value = h("dd", {}, "–");
      this.values.set(key, value);
      return h("div", { class: `fact ${key}`, title: words }, h("dt", {}, name), value, h("dd", { class: "words" }, words));
    });
    this.element = h("dl", { class: "numbers", "aria-label": "In numbers" }, ...facts);
  }

  /** Show what was simulated. */
  show(answer: WithHistogram, strategy: string, nonDecision: number): void {
    this.simulated = answer;
    this.element.querySelector(".risk dt")!.textContent = `Risk of ${strategy}`;
    this.set("risk", answer.risk.toPrecision(3), `± ${answer.risk_se.toPrecision(1)}`);
    this.set("present", milliseconds(answer.mean_rt.present + nonDecision), "ms");
    this.set("absent", milliseconds(answer.mean_rt.absent + nonDecision), "ms");
    this.set("misses", percent(answer.error_rate.present), "%");
    this.set("alarms", percent(answer.error_rate.absent), "%");
    this.compare();
  }

  /** Take the lowest risk there is, of what; null where it is not known. Where the observer's own is solved, too, nothing is noise. */
  best(risk: number | null, of: string, error = 0, solved: Known | null = null): void {
    this.lowest = risk === null ? null : { risk, error };
    this.solved = solved;
    this.element.querySelector(".loss dt")!.textContent = `Above the ${of}`;
    this.compare();
  }

  clear(): void {
    this.simulated = null;
    for (const value of this.values.values()) value.textContent = "–";
  }

  private compare(): void {
    if (this.lowest === null || !this.simulated) return this.set("loss", "–", this.lowest === null ? "not known here" : "");
    const { risk, error } = this.lowest;
    const excess = (this.solved ?? this.simulated).risk / risk - 1;
    const noise = (this.solved ? this.solved.error + error : this.simulated.risk_se) / risk;
    const within = Math.abs(excess) < (this.solved ? 1 : 2) * noise;
    this.set("loss", within ? "≈ 0" : (100 * excess).toFixed(this.solved ? 1 : 0), within || this.solved ? `% (± ${(100 * noise).toFixed(this.solved ? 1 : 0)})` : "%");
  }

  private set(key: Key, value: string, unit: string): void {
    this.values.get(key)!.replaceChildren(value, h("small", {}, ` ${unit}`));
  }
}

function milliseconds(value: number): string {
  return Math.round(1000 * value).toLocaleString("en-GB");
}

function percent(value: number): string {
  return (100 * value).toFixed(value < 0.1 ? 1 : 0);
}
