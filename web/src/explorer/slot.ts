// One question at a time for each panel. A newer one takes the place of an older one: at once, or, where
// answers are quick, when the older one is answered, so that pictures follow while the reader drags.
// Panels stand in line, so that the server's limit for a visitor is kept.

import { isAbort, pause } from "../api";

/** Lets a number of them in at once; the others wait, in order. */
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

interface Asked {
  key: string;
  run: (signal: AbortSignal) => Promise<void>;
  failed: (error: unknown) => void;
  line: Line;
}

/** How soon a question is asked, and what becomes of an older one that is under way. */
export interface Manner {
  /** Milliseconds to wait before asking, in case the reader goes on dragging. */
  delay: number;
  /** Milliseconds for which an older one may go on: whoever drags sees its answer on the way to the last. */
  linger: number;
}

export class Slot {
  private current: (Asked & { controller: AbortController; since: number }) | null = null;
  private next: Asked | null = null;
  /** What was answered, or is on its way. */
  private key = "";

  constructor(private readonly manner: Manner) {}

  /** Whether a newer question waits for the one under way. */
  get hasNewer(): boolean {
    return this.next !== null;
  }

  /** Ask, unless the very same was asked last; failures are handed to `failed`, aborts to nobody. */
  ask(key: string, line: Line, run: Asked["run"], failed: Asked["failed"]): boolean {
    if (key === this.key) return false;
    const asked = { key, line, run, failed };
    const left = this.current ? this.current.since + this.manner.linger - performance.now() : 0;
    if (left > 0) {
      this.key = key;
      if (!this.next) setTimeout(this.giveWay, left, this.current);
      this.next = key === this.current!.key ? null : asked;
    } else {
      this.stop();
      this.begin(asked);
    }
    return true;
  }

  /** End what has been under way for long enough, if a newer one still waits for it. */
  private readonly giveWay = (old: Slot["current"]): void => {
    const { current, next } = this;
    if (current !== old || !next) return;
    this.stop();
    this.begin(next);
  };

  /** Drop what is under way; the same may then be asked again. */
  stop(): void {
    this.current?.controller.abort();
    this.current = this.next = null;
    this.key = "";
  }

  private begin(asked: Asked): void {
    const mine = { ...asked, controller: new AbortController(), since: performance.now() };
    const { signal } = mine.controller;
    this.key = asked.key;
    this.current = mine;
    this.next = null;
    void (async () => {
      try {
        if (this.manner.delay > 0) await pause(this.manner.delay, signal);
        await asked.line.take(() => asked.run(signal), signal);
      } catch (error) {
        if (!isAbort(error) && !signal.aborted && !this.next) {
          if (this.key === asked.key) this.key = "";
          asked.failed(error);
        }
      }
      if (this.current !== mine) return;
      this.current = null;
      if (this.next) this.begin(this.next);
    })();
  }
}
