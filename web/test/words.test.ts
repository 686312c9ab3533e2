import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENGLISH } from "../src/lab/words/english";
import { number, PACKS, say, sayParts, speak } from "../src/lab/words/speech";

const page = { documentElement: { lang: "" } };
Object.assign(globalThis, { document: page });

const placesOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

test("every pack fills in what the English one does, and leaves no word empty", () => {
  for (const [language, pack] of Object.entries(PACKS)) {
    for (const [name, text] of Object.entries(ENGLISH)) {
      const own = pack[name as keyof typeof ENGLISH];
      assert.deepEqual(placesOf(own), placesOf(text), `${language} ${name}`);
      assert.ok(own.trim().length > 0, `${language} ${name}`);
    }
  }
});

test("a design file may say every word, and no other", () => {
  const schema = JSON.parse(readFileSync("../schemas/experiment.schema.json", "utf8")) as {
    properties: { words: { propertyNames: { enum: string[] } }; language: { description: string } };
  };
  assert.deepEqual(schema.properties.words.propertyNames.enum, Object.keys(ENGLISH));
  assert.ok(schema.properties.language.description.includes(Object.keys(PACKS).join(", ")));
});

test("the language of the design, its own words before those of the pack", () => {
  speak("de-CH", { start: "Los geht’s" });
  assert.equal(page.documentElement.lang, "de-CH");
  assert.equal(say("start"), "Los geht’s");
  assert.equal(say("go_on"), "Weiter");
  assert.equal(say("part", { part: 1, parts: 3, trials: 120 }), "Teil 1 von 3, 120 Durchgänge.");
  speak("el");
  assert.equal(say("go_on"), "Συνέχεια");
  assert.equal(number(1.5), "1,5");
  speak("fr", { go_on: "Continuer" });
  assert.equal(say("go_on"), "Continuer");
  assert.equal(page.documentElement.lang, "fr");
  speak("en");
  assert.equal(number(1.5), "1.5");
});

test("an element may stand in a text, wherever the language has it", () => {
  const key = { name: "kbd" } as unknown as Node;
  assert.deepEqual(sayParts("press", { key }), ["press ", key]);
  speak("ja", { press: "{key} を押す" });
  assert.deepEqual(sayParts("press", { key }), [key, " を押す"]);
  speak("en");
});
