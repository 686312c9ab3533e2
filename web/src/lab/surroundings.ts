// What surrounds the trials: the browser, whether somebody looks elsewhere, whether the device suits the study.

import type { Design } from "./design";

const BROWSERS: readonly [string, string][] = [
  ["Edg", "Edge"], ["EdgA", "Edge"], ["EdgiOS", "Edge"], ["OPR", "Opera"], ["SamsungBrowser", "Samsung Internet"],
  ["FxiOS", "Firefox"], ["Firefox", "Firefox"], ["CriOS", "Chrome"], ["Chrome", "Chrome"], ["Version", "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/Windows/, "Windows"], [/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/CrOS/, "ChromeOS"], [/Mac OS X/, "macOS"], [/Linux/, "Linux"],
];

/** Name and version of the browser, and the system: what matters for timing, and no more. */
export function browserName(agent: string): string {
  const version = (token: string): string | undefined => new RegExp(`${token}/(\\d+)`).exec(agent)?.[1];
  const browser = BROWSERS.find(([token]) => version(token));
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent));
  return `${browser ? `${browser[1]} ${version(browser[0])}` : "another browser"}, ${system?.[1] ?? "another system"}`;
}

/** Whether answers are given by touch. */
export function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

/** What keeps a device from a study: a phone, a small screen, or nothing. */
export function unsuited({ phones, smallest_screen }: Pick<Design, "phones" | "smallest_screen">): "phone" | "small" | null {
  if (!phones && isTouch()) return "phone";
  return Math.min(screen.width, screen.height) < smallest_screen ? "small" : null;
}

let blurs = 0;
let hides = 0;

/** Begin to count how often the window loses the focus, and how often the page is hidden. */
export function watchAttention(): void {
  addEventListener("blur", () => (blurs += 1));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hides += 1;
  });
}

/** What was counted since the last time. */
export function lookedAway(): { blurs: number; hides: number } {
  const counted = { blurs, hides };
  [blurs, hides] = [0, 0];
  return counted;
}
