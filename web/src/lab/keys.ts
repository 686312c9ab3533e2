// Which answer a key gives, on any keyboard.
//
// A design names a key by its letter. On a Cyrillic or Greek layout, or while Japanese is typed, the key in
// that place writes another letter or none: then the place of the key counts. Where it writes a Latin letter
// or a digit the letter counts alone, so that on a layout such as AZERTY one key does not mean two answers.

import type { Answer, Design } from "./design";

const PUNCTUATION: Record<string, string> = {
  ",": "Comma", ".": "Period", "/": "Slash", ";": "Semicolon", "'": "Quote", "[": "BracketLeft", "]": "BracketRight",
  "-": "Minus", "=": "Equal", "`": "Backquote", "\\": "Backslash",
};
const ARROWS: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
const CHOICES: readonly Answer[] = ["present", "absent"];

/** The place of a key on the keyboard, as events name it. */
export function placeOf(key: string): string {
  if (/^[a-z]$/i.test(key)) return `Key${key.toUpperCase()}`;
  if (/^[0-9]$/.test(key)) return `Digit${key}`;
  return PUNCTUATION[key] ?? key;
}

/** The answer that a key gives, if any. */
export function answerOf(event: Pick<KeyboardEvent, "key" | "code">, keys: Design["keys"]): Answer | null {
  const byLetter = CHOICES.find((choice) => event.key.toLowerCase() === keys[choice].toLowerCase());
  if (byLetter || /^[a-z0-9]$/i.test(event.key)) return byLetter ?? null;
  return CHOICES.find((choice) => event.code === placeOf(keys[choice])) ?? null;
}

/** How a key is called. */
export function keyName(key: string): string {
  return ARROWS[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}
