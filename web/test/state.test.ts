import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS, effective, fromAddress, QUANTITIES, taskOf, toAddress, type State } from "../src/explorer/state";
import { asCommand, asPython, asToml } from "../src/explorer/words";
import { asCsv } from "../src/explorer/panel";

const ELSEWHERE: State = {
  evidence: "information", locations: 3, drift: 8, information: 48, visibility: 0.5, prior: 0.2, time: 1, miss: 3,
  falseAlarm: 0.5, dt: 0.02, nonDecision: 0.15, attention: "guided", strategy: "sprt", others: -2,
  layout: "square", spacing: 2, falloff: 1.5, fixation: 0.3, saccade: 0.05,
};
const GAZE: State = { ...DEFAULTS, evidence: "gaze" };

test("an address that says nothing is the default, and the default says nothing", () => {
  assert.deepEqual(fromAddress(""), DEFAULTS);
  assert.equal(toAddress(DEFAULTS), "");
});

test("every choice goes through the address and comes back", () => {
  assert.deepEqual(fromAddress(toAddress(ELSEWHERE)), ELSEWHERE);
  for (const quantity of Object.values(QUANTITIES)) {
    for (const stop of quantity.stops) {
      const state = { ...DEFAULTS, [quantity.key]: stop };
      assert.deepEqual(fromAddress(toAddress(state)), state);
    }
  }
});

test("what makes no sense in an address is left out or brought into range", () => {
  assert.deepEqual(fromAddress("?drift=high&strategy=guess&attention=&prior= &locations=NaN"), DEFAULTS);
  assert.equal(fromAddress("?locations=500").locations, 16);
  assert.equal(fromAddress("?locations=2.6").locations, 3);
  assert.equal(fromAddress("?drift=-4").drift, 1);
});

test("what cannot be had gives way to the closest that can", () => {
  assert.equal(effective({ ...DEFAULTS, locations: 8 }).strategy, "sprt");
  assert.equal(effective({ ...DEFAULTS, evidence: "information", strategy: "hardmax" }).strategy, "sprt");
  assert.equal(effective({ ...ELSEWHERE, locations: 8, attention: "optimal" }).attention, "serial");
  assert.equal(effective({ ...ELSEWHERE, attention: "optimal" }).strategy, "optimal");
  assert.deepEqual(effective(DEFAULTS), DEFAULTS);
});

test("visibility is a share of the squared drift", () => {
  const { drift } = taskOf({ ...DEFAULTS, visibility: 0.25 });
  assert.deepEqual(drift, [4, 2]);
});

test("the same problem in other words", () => {
  assert.match(asPython({ ...DEFAULTS, visibility: 0.25 }), /po\.SearchTask\(\n    n_locations=2, drift=\(4, 2\), dt=0\.01, prior=0\.5\n\)/);
  assert.match(asPython(DEFAULTS), /best = po\.solve\(task, costs, rtol=0\.01\)\n[^]*simulate\(task, best\.strategy, 10_000, seed=1\)/);
  assert.match(asPython(ELSEWHERE), /po\.simulate\(task, "sprt", 10_000, seed=1, costs=costs, tune_trials=2_000, attention="guided"\)/);
  assert.match(asPython(ELSEWHERE), /\nrest = 0\.15 /);
  assert.match(asCommand(ELSEWHERE), /--information 48 --attention guided --visibility 1,0\.5,1 --locations 3/);
  assert.match(asToml(DEFAULTS), /^kind = "search"\nn_locations = 2\ndrift = 4\n/);
  assert.match(asToml(ELSEWHERE), /visibility = \[1, 0\.5, 1\]\n[^]*\[costs\]\ntime = 1\nmiss = 3\nfalse_alarm = 0\.5\n$/);
});

test("rows as CSV, with what is missing left empty", () => {
  assert.equal(asCsv([{ a: 1, b: "x,y" }, { a: null, c: 'say "no"' }]), 'a,b,c\n1,"x,y",\n,,"say ""no"""\n');
});

test("a display that is looked at: what can be had, and the same problem in other words", () => {
  assert.deepEqual(fromAddress(toAddress({ ...GAZE, attention: "elm", layout: "hexagon" })), { ...GAZE, attention: "elm", layout: "hexagon" });
  assert.equal(fromAddress("?evidence=gaze&layout=heap").layout, "line");
  const chosen = ({ attention, strategy, locations }: State): [string, string, number] => [attention, strategy, locations];
  assert.deepEqual(chosen(effective(GAZE)), ["optimal", "optimal", 3]);
  assert.deepEqual(chosen(effective({ ...GAZE, attention: "random" })), ["random", "sprt-opt", 3]);
  assert.deepEqual(chosen(effective({ ...GAZE, attention: "elm", strategy: "hardmax" })), ["elm", "optimal", 3]);
  assert.deepEqual(chosen(effective({ ...GAZE, layout: "hexagon" })), ["elm", "sprt-opt", 19]);
  assert.equal(effective({ ...DEFAULTS, evidence: "information", attention: "elm" }).attention, "serial");
  const square: State = { ...GAZE, layout: "square", spacing: 2, attention: "ideal" };
  assert.deepEqual(taskOf(square)["gazes"], [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1]]);
  assert.match(asPython(square), /po\.GazeTask\(\n    items=\(\(0, 0\), \(2, 0\), [^]*rtol=0\.01, attention=po\.IdealSearcher\)/);
  assert.match(asPython({ ...GAZE, layout: "ring" }), /simulate\(task, "sprt-opt", [^]*attention="elm"\)[^]*print\(trials\.fixations\)/);
  assert.match(asCommand(square), /--items=0:0,2:0,2:2,0:2 --gazes=0:0,2:0,2:2,0:2,1:1 --information=32 [^]*--attention ideal/);
  assert.match(asToml(square), /\nitems = \[\[0, 0\], \[2, 0\], \[2, 2\], \[0, 2\]\]\n/);
});
