import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS, effective, fromAddress, QUANTITIES, taskOf, toAddress, type State } from "../src/explorer/state";
import { asCommand, asPython, asToml } from "../src/explorer/words";
import { asCsv } from "../src/explorer/panel";

const ELSEWHERE: State = {
  evidence: "information", locations: 3, drift: 8, information: 48, visibility: 0.5, prior: 0.2, time: 1, miss: 3,
  falseAlarm: 0.5, dt: 0.02, nonDecision: 0.15, attention: "guided", strategy: "sprt", others: -2,
};

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
