import assert from "node:assert/strict";
import { test } from "node:test";
import { LAYOUTS } from "../src/explorer/gaze";
import { losses, rulesPicture, type RuleRisk } from "../src/explorer/rules";
import { displayPicture, frame, visits } from "../src/explorer/scanpath";

const distance = ([a, b]: readonly number[], [c, d]: readonly number[]): number => Math.hypot(a! - c!, b! - d!);

test("neighbours are one unit apart in every layout", () => {
  const counts = Object.values(LAYOUTS).map(({ items }) => items.length);
  assert.deepEqual(counts, [3, 4, 6, 19]);
  for (const { items } of Object.values(LAYOUTS)) {
    for (const item of items) {
      const nearest = Math.min(...items.filter((other) => other !== item).map((other) => distance(item, other)));
      assert.ok(Math.abs(nearest - 1) < 1e-9);
    }
  }
});

test("a degree is equally long along both axes, and every item is inside", () => {
  const scene = { items: [[0, 0], [2, 0], [2, 1]] as const, rings: [1], spacing: 1, rests: 0.9 };
  for (const [width, height] of [[300, 200], [100, 400]] as const) {
    const { x, y } = frame(scene, width, height);
    assert.ok(Math.abs((x[1] - x[0]) / width - (y[1] - y[0]) / height) < 1e-12);
    for (const [a, b] of scene.items) assert.ok(x[0] < a && a < x[1] && y[0] < b && b < y[1]);
  }
});

test("fixations are numbered where they were", () => {
  const path = [{ gaze: 1 }, { gaze: 0 }, { gaze: 1 }];
  assert.deepEqual([...visits(path, 3)], [[1, [1, 3]], [0, [2]]]);
  assert.deepEqual([...visits(path, 1)], [[1, [1]]]);
});

test("a scanpath in words and rows", () => {
  const fixations = [{ gaze: 1, x: 1, y: 0, onset: 0, duration: 0.2, likely: [0.1, 0.7] }];
  const trial = { present: true, target: 1, response: "present" as const, correct: true, rt: 0.23, t: [0, 0.23], Z: [[0, 0], [0, 2]], posterior: [0.5, 0.8], shares: null, fixations };
  const { words, rows } = displayPicture(trial, { items: [[0, 0], [1, 0]], rings: [], spacing: 1, rests: 0.9 });
  assert.equal(words, "Display with a target at item 2. Gaze rests at (1, 0); the answer was present.");
  assert.deepEqual(rows, [{ gaze: 2, x: 1, y: 0, onset: 0, duration: 0.2, P1: 0.1, P2: 0.7 }]);
});

test("losses are over the optimum, else over the best, and errors add up", () => {
  const rule = (name: string, risk: number, error: number, isExact: boolean): RuleRisk => ({ rule: name, name, risk, error, isExact });
  const exact = [rule("optimal", 0.1, 0.001, true), rule("map", 0.11, 0.002, true), rule("random", 0.13, 0.004, false)];
  const [best, map, random] = losses(exact);
  assert.equal(best!.excess, 0);
  assert.equal(best!.excessError, 0);
  assert.ok(Math.abs(map!.excess - 0.1) < 1e-12 && Math.abs(map!.excessError - 0.03) < 1e-12);
  assert.ok(Math.abs(random!.excessError - Math.hypot(0.004, 0.001) / 0.1) < 1e-12);
  const simulated = losses([rule("map", 0.11, 0.003, false), rule("elm", 0.1, 0.004, false)]);
  assert.ok(Math.abs(simulated[0]!.excess - 0.1) < 1e-12 && Math.abs(simulated[0]!.excessError - 0.05) < 1e-12);
  assert.equal(rulesPicture(exact, "map").words, "Risk above the least: map 10.0 ± 3.0 %, random 30.0 ± 4.1 %.");
});
