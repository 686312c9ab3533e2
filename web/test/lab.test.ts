import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../src/api";
import { pointsFor, type Block, type TrialRecord } from "../src/lab/design";
import { fitted, pixelsPerDegree, shade } from "../src/lab/display";
import { dropped, median } from "../src/lab/frames";
import { answerOf, keyName, placeOf } from "../src/lab/keys";
import { MOST_AT_ONCE, Sender } from "../src/lab/sender";
import { PageStore, randomKey } from "../src/lab/store";
import { browserName } from "../src/lab/surroundings";

const record = (index: number): TrialRecord => ({
  index, response: "present", rt: 0.4, onset: 1, frame_interval: 1 / 60, dropped_frames: 0, input: "key", full_screen: true,
  page_began: 1.7e9, scale: 1, blurs: 0, hides: 0,
});

/** A server that fails in a given way for a number of calls, and stores each trial once. */
function server(failures: (() => Error)[]) {
  const stored = new Map<number, TrialRecord>();
  let calls = 0;
  const deliver = async (trials: TrialRecord[]): Promise<number[]> => {
    calls += 1;
    const failure = failures.shift();
    // The worst case: stored, but the acknowledgement is lost.
    for (const trial of trials) if (!stored.has(trial.index)) stored.set(trial.index, trial);
    if (failure) throw failure();
    return trials.map((trial) => trial.index);
  };
  return { stored, deliver, calls: () => calls };
}

const offline = (): Error => new TypeError("Failed to fetch");
const atOnce = async (): Promise<void> => {};

test("trials are sent until each is acknowledged, whatever is lost on the way", async () => {
  const store = new PageStore();
  const { stored, deliver } = server([offline, offline, () => new Refusal(503, [], null), offline]);
  const sender = new Sender(store, "p", deliver, () => {}, atOnce);
  for (let i = 0; i < 7; i += 1) await sender.add(record(i));
  await sender.empty();
  assert.deepEqual([...stored.keys()].sort(), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await store.waiting("p"), []);
});

test("pauses grow while the server is away, and end when the connection is back", async () => {
  const pauses: number[] = [];
  const { deliver } = server(Array.from({ length: 7 }, () => offline));
  const rest = async (milliseconds: number): Promise<void> => void pauses.push(milliseconds);
  const sender = new Sender(new PageStore(), "p", deliver, () => {}, rest);
  await sender.add(record(0));
  await sender.empty();
  assert.equal(pauses.length, 7);
  assert.ok(pauses[0]! >= 375 && pauses[0]! <= 625, `${pauses[0]}`);
  assert.ok(pauses[6]! >= 0.75 * 15_000 && pauses[6]! <= 1.25 * 15_000, `${pauses[6]}`);

  let woken = false;
  const patient = new Sender(new PageStore(), "p", server([offline]).deliver, () => {}, (_, wake) => wake.then(() => void (woken = true)));
  await patient.add(record(0));
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(woken, false);
  patient.hurry();
  await patient.empty();
  assert.equal(woken, true);
});

test("a refusal for good keeps the trials and says so", async () => {
  const store = new PageStore();
  const deliver = async (): Promise<number[]> => {
    throw new Refusal(401, [], null);
  };
  const moods: string[] = [];
  const sender = new Sender(store, "p", deliver, (mood) => moods.push(mood), atOnce);
  await sender.add(record(3));
  await sender.empty();
  assert.equal(sender.refusal?.status, 401);
  assert.deepEqual((await store.waiting("p")).map((trial) => trial.index), [3]);
  assert.equal(moods.at(-1), "refused");
});

test("a long queue goes in parts", async () => {
  const store = new PageStore();
  for (let i = 0; i < 2 * MOST_AT_ONCE + 1; i += 1) await store.add("p", record(i));
  const { stored, deliver, calls } = server([]);
  const sender = new Sender(store, "p", deliver, () => {}, atOnce);
  sender.hurry();
  await sender.empty();
  assert.equal(stored.size, 2 * MOST_AT_ONCE + 1);
  assert.equal(calls(), 3);
});

test("dropped frames are counted against the usual interval", () => {
  const interval = 1000 / 60;
  const smooth = Array.from({ length: 10 }, (_, i) => i * interval + (i % 2));
  assert.equal(dropped(smooth, interval), 0);
  assert.equal(dropped([0, interval, 4 * interval, 5 * interval], interval), 2);
  assert.equal(dropped([], interval), 0);
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
});

test("a card of 324 pixels is 8.56 cm, and a degree a centimetre at an arm's length", () => {
  assert.ok(Math.abs(pixelsPerDegree(324) - 324 / 8.56) < 0.01);
});

test("a display is never larger than life, and fits a small screen", () => {
  const layout = { kind: "ring", bar_length: 1.2, bar_width: 0.25, background: 0.5, bar: 0.9, reach: 6.6 };
  assert.equal(fitted(38, 6.6, 1280, 800), 38);
  assert.ok(2 * 6.6 * fitted(38, 6.6, 390, 700) <= 390);
  assert.equal(shade(layout, 0), 0.5);
  assert.equal(shade(layout, 1), 0.9);
  assert.equal(shade({ ...layout, bar: 0.1 }, 0.5), 0.3);
});

test("points as the block says", () => {
  const block: Block = {
    name: "", practice: false, feedback: true, words: "", trials: 1, costs: { time: 0.2, miss: 1, false_alarm: 1 },
    points: { correct: 1, miss: -2, false_alarm: -3, second: -0.5 },
  };
  assert.equal(pointsFor(block, true, "present", 1, 5), 0.5);
  assert.equal(pointsFor(block, true, "absent", 2, 5), -3);
  assert.equal(pointsFor(block, false, "present", 0, 5), -3);
  assert.equal(pointsFor(block, true, null, null, 4), -4);
  assert.equal(pointsFor({ ...block, points: null }, true, "present", 1, 5), null);
});

test("keys are what the server takes, and differ", () => {
  const keys = Array.from({ length: 20 }, randomKey);
  assert.ok(keys.every((key) => /^[A-Za-z0-9_-]{22,64}$/.test(key)));
  assert.equal(new Set(keys).size, 20);
});

const KEYS = { present: "j", absent: "f" };

test("an answer by the letter, or by the place where the key writes no Latin letter", () => {
  const given = (key: string, code: string, keys = KEYS): string | null => answerOf({ key, code }, keys);
  assert.equal(given("j", "KeyJ"), "present");
  assert.equal(given("F", "KeyF"), "absent");
  assert.equal(given("о", "KeyJ"), "present"); // Cyrillic
  assert.equal(given("а", "KeyF"), "absent");
  assert.equal(given("ξ", "KeyJ"), "present"); // Greek
  assert.equal(given("Φ", "KeyF"), "absent");
  assert.equal(given("Process", "KeyJ"), "present"); // while Japanese is typed
  assert.equal(given("к", "KeyR"), null);
  assert.equal(given("Unidentified", ""), null);
});

test("where the layout writes Latin letters, the letter alone counts", () => {
  const keys = { present: "a", absent: "q" };
  // AZERTY: the key that says A stands where others have Q.
  assert.equal(answerOf({ key: "a", code: "KeyQ" }, keys), "present");
  assert.equal(answerOf({ key: "q", code: "KeyA" }, keys), "absent");
  // Dvorak: H stands where others have J, and is no answer.
  assert.equal(answerOf({ key: "h", code: "KeyJ" }, KEYS), null);
  assert.equal(answerOf({ key: "j", code: "KeyC" }, KEYS), "present");
});

test("digits, signs and arrows have a place, too", () => {
  assert.equal(answerOf({ key: "&", code: "Digit1" }, { present: "1", absent: "0" }), "present"); // AZERTY without shift
  assert.equal(answerOf({ key: "ö", code: "Semicolon" }, { present: ";", absent: "a" }), "present");
  assert.equal(answerOf({ key: "ArrowLeft", code: "ArrowLeft" }, { present: "ArrowRight", absent: "ArrowLeft" }), "absent");
  assert.equal(placeOf("Enter"), "Enter");
  assert.equal(keyName("ArrowLeft"), "←");
  assert.equal(keyName("j"), "J");
});

test("a sender that is closed sends nothing more and keeps nobody waiting", async () => {
  const { deliver, calls } = server(Array.from({ length: 50 }, () => offline));
  const sender = new Sender(new PageStore(), "p", deliver, () => {}, (_, woken) => woken);
  await sender.add(record(0));
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(calls(), 1);
  sender.close();
  await sender.empty();
  sender.hurry();
  await sender.empty();
  assert.equal(calls(), 1);
});

test("browsers are told by name, version and system, and by nothing else", () => {
  const agents: [string, string][] = [
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51", "Edge 131, Windows"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox 133, Linux"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15", "Safari 18, macOS"],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1", "Chrome 131, iOS"],
    ["Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36", "Chrome 131, Android"],
    ["somebody's own", "another browser, another system"],
  ];
  for (const [agent, name] of agents) assert.equal(browserName(agent), name);
});
