// One question at a time: a newer one takes the place of an older one, whose answer is dropped.

import { isAbort, pause } from "../api";

export class Slot {
  private key = "";
  private controller: AbortController | null = null;

  /** Wait `delay` milliseconds before asking, in case the reader goes on dragging. */
  constructor(private readonly delay: number) {}

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
        await run(controller.signal);
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
