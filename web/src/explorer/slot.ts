// One question at a time for each panel: a newer one takes the place of an older one, whose answer is
// dropped. Panels stand in line, so that the server's limit for a visitor is kept while the reader drags.

import { isAbort, pause } from "../api";

/** Lets so many in at once; the others wait, in order. */
export class Line {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** Wait for one's turn, act, and let the next one in; who is aborted while waiting leaves the line. */
  async take<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.inside >= this.most) await this.wait(signal);
    this.inside += 1;
    try {
      return await act();
    } finally {
      this.inside -= 1;
      this.waiting.shift()?.();
    }
  }

  private wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        reject(new DOMException("left the line", "AbortError"));
      };
      const turn = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      this.waiting.push(turn);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}

export class Slot {
  private key = "";
  private controller: AbortController | null = null;

  /** Wait `delay` milliseconds before asking, in case the reader goes on dragging; then in line. */
  constructor(
    private readonly delay: number,
    private readonly line: Line,
  ) {}

  /** Ask, unless the very same was asked last; failures are handed to `failed`, aborts to nobody. */
  ask(key: string, run: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void): boolean {
    if (key === this.key) return false;
    this.stop();
    this.key = key;
    const controller = new AbortController();
    this.controller = controller;
    void (async () => {
      try {
        await pause(this.delay, controller.signal);
        await this.line.take(() => run(controller.signal), controller.signal);
      } catch (error) {
        if (!isAbort(error) && !controller.signal.aborted) {
          if (this.key === key) this.key = "";
          failed(error);
        }
      }
    })();
    return true;
  }

  /** Drop what is under way; the same may then be asked again. */
  stop(): void {
    this.controller?.abort();
    this.controller = null;
    this.key = "";
  }
}
