// Sends trials until the server has acknowledged each one, with longer and longer pauses between
// attempts that fail. The server stores a repeated trial once, so that sending again does no harm.

import { Refusal } from "../api";
import type { TrialRecord } from "./design";
import type { Store } from "./store";

export const MOST_AT_ONCE = 100;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

/** Hands trials over; resolves with the indices that the server has on disk. */
export type Deliver = (trials: TrialRecord[]) => Promise<number[]>;

export type Mood = "sent" | "sending" | "waiting" | "refused";

/** A refusal that no repetition will mend. */
function isFinal(error: unknown): error is Refusal {
  return error instanceof Refusal && error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}

export class Sender {
  /** What the server said, where it refused for good; the trials are still kept. */
  refusal: Refusal | null = null;
  private closed = false;
  private running: Promise<void> | null = null;
  private wake: () => void = () => {};
  private failures = 0;

  constructor(
    private readonly store: Store,
    private readonly session: string,
    private readonly deliver: Deliver,
    private readonly told: (mood: Mood, waiting: number) => void = () => {},
    private readonly rest: (milliseconds: number, woken: Promise<void>) => Promise<void> = restOrWake,
  ) {}

  /** Keep a trial, then send it when possible. Resolves when it is kept, not when it is sent. */
  async add(trial: TrialRecord): Promise<void> {
    await this.store.add(this.session, trial);
    this.hurry();
  }

  /** Try again now, for instance because the connection is back. */
  hurry(): void {
    this.wake();
    this.running ??= this.run().finally(() => (this.running = null));
  }

  /** Send nothing more: the participant has withdrawn. */
  close(): void {
    this.closed = true;
    this.wake();
    this.told("sent", 0);
  }

  /** Wait until everything is sent, or was refused for good. */
  async empty(): Promise<void> {
    for (;;) {
      if (this.running) await this.running;
      if (this.closed || this.refusal || (await this.store.waiting(this.session)).length === 0) return;
      this.hurry();
    }
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      const waiting = await this.store.waiting(this.session);
      if (waiting.length === 0) return this.told("sent", 0);
      this.told(this.failures ? "waiting" : "sending", waiting.length);
      try {
        const stored = await this.deliver(waiting.slice(0, MOST_AT_ONCE));
        await this.store.remove(this.session, stored);
        this.failures = 0;
      } catch (error) {
        if (this.closed) return;
        if (isFinal(error)) {
          this.refusal = error;
          return this.told("refused", waiting.length);
        }
        this.failures += 1;
        this.told("waiting", waiting.length);
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.failures - 1));
        const woken = new Promise<void>((resolve) => (this.wake = resolve));
        await this.rest(pause * (0.75 + 0.5 * Math.random()), woken);
      }
    }
  }
}

function restOrWake(milliseconds: number, woken: Promise<void>): Promise<void> {
  return Promise.race([woken, new Promise<void>((resolve) => setTimeout(resolve, milliseconds))]);
}
