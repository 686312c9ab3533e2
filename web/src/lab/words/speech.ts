// What the participant's page says, in the language of the design: the design's own words, or a pack's.

import { ENGLISH, type Pack, type Word } from "./english";
import { GERMAN } from "./german";
import { GREEK } from "./greek";

export const PACKS: Readonly<Record<string, Pack>> = { en: ENGLISH, de: GERMAN, el: GREEK };

/** The names of the places in a text that something is filled in. */
type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;
type Filled<Name extends Word, Value> = Record<Places<(typeof ENGLISH)[Name]>, Value>;
/** Nothing where a text has no places; a value is missing otherwise, which the compiler says. */
type Given<Name extends Word, Value> = [Places<(typeof ENGLISH)[Name]>] extends [never] ? [] : [Filled<Name, Value>];

/** The pack of a language such as `de` or `de-CH`, if there is one. */
function packOf(language: string): Pack | undefined {
  return PACKS[language.toLowerCase().split("-")[0]!];
}

let tag = "en";
let pack: Pack = ENGLISH;

/** Speak a language from now on; a language without a pack is in the design's own words altogether. */
export function speak(language: string, own: Partial<Pack> = {}): void {
  tag = language;
  pack = { ...(packOf(language) ?? ENGLISH), ...own };
  document.documentElement.lang = language;
}

/** Speak the reader's own language as long as no design is known. */
export function speakAsReader(): void {
  speak(navigator.languages.find((language) => packOf(language)) ?? "en");
}

/** A text of the page. */
export function say<Name extends Word>(name: Name, ...given: Given<Name, string | number>): string {
  return sayParts(name, ...given).join("");
}

/** A text of the page in parts, so that an element can stand in it. */
export function sayParts<Name extends Word, Value extends Node | string | number>(
  name: Name,
  ...given: Given<Name, Value>
): (Exclude<Value, number> | string)[] {
  const values = (given[0] ?? {}) as Record<string, Value>;
  // With one pair of brackets, every second part is the name of a place.
  const parts = pack[name].split(/\{(\w+)\}/).map((part, at) => (at % 2 ? (values[part] ?? `{${part}}`) : part));
  return parts.filter((part) => part !== "").map((part) => (typeof part === "number" ? number(part) : part)) as (Exclude<Value, number> | string)[];
}

/** A number as the language writes it. */
export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(tag, options).format(value);
}
