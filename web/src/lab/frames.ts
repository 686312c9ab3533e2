// Frames of the screen: when a display became visible, how long frames are, which were dropped.
//
// What is drawn in the callback of a frame appears on the screen with the next one. The onset is
// therefore the time of the first callback after the one that drew. Events carry times of the same
// clock, so that a response time is a difference of two time stamps, whenever the handlers ran.

/** Longer than this many frames means that frames were dropped. */
const LATE = 1.5;

export function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

export function median(values: readonly number[]): number {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** How many frames are missing between those that came, given how long one lasts. */
export function dropped(times: readonly number[], interval: number): number {
  let count = 0;
  for (let i = 1; i < times.length; i += 1) {
    const frames = (times[i]! - times[i - 1]!) / interval;
    if (frames > LATE) count += Math.round(frames) - 1;
  }
  return count;
}

/** The usual interval between frames in milliseconds, over some number of them. */
export async function measureInterval(frames = 40): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i <= frames; i += 1) times.push(await nextFrame());
  return median(times.slice(1).map((time, i) => time - times[i]!));
}

/** Watches frames from now on. */
export class FrameWatch {
  readonly times: number[] = [];
  private handle = 0;

  constructor() {
    const tick = (time: number): void => {
      this.times.push(time);
      this.handle = requestAnimationFrame(tick);
    };
    this.handle = requestAnimationFrame(tick);
  }

  stop(): void {
    cancelAnimationFrame(this.handle);
  }
}
