import assert from "node:assert/strict";
import { test } from "node:test";
import { Line, Slot } from "../src/explorer/slot";

const tick = (milliseconds = 5): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("no more than allowed are in at once, and the others follow in order", async () => {
  const line = new Line(2);
  const done: number[] = [];
  let [inside, most] = [0, 0];
  const never = new AbortController().signal;
  await Promise.all(
    [0, 1, 2, 3, 4].map((name) =>
      line.take(async () => {
        inside += 1;
        most = Math.max(most, inside);
        await tick();
        inside -= 1;
        done.push(name);
      }, never),
    ),
  );
  assert.equal(most, 2);
  assert.deepEqual(done, [0, 1, 2, 3, 4]);
});

test("who is aborted while waiting leaves the line, and the next one comes in", async () => {
  const line = new Line(1);
  const never = new AbortController().signal;
  const first = line.take(() => tick(10), never);
  const bored = new AbortController();
  const second = line.take(async () => assert.fail("it was aborted"), bored.signal);
  const third = line.take(async () => "third", never);
  bored.abort();
  await assert.rejects(second, { name: "AbortError" });
  await first;
  assert.equal(await third, "third");
});

test("a newer question takes the place of an older one, and the same is not asked twice", async () => {
  const [slot, line] = [new Slot({ delay: 1, linger: 0 }), new Line(3)];
  const shown: string[] = [];
  const failed = (): void => assert.fail("nothing failed");
  const ask = (name: string, milliseconds: number): boolean =>
    slot.ask(name, line, async (signal) => {
      await tick(milliseconds);
      if (!signal.aborted) shown.push(name);
    }, failed);
  assert.equal(ask("slow", 20), true);
  await tick(3);
  assert.equal(ask("quick", 1), true);
  assert.equal(ask("quick", 1), false);
  await tick(40);
  assert.deepEqual(shown, ["quick"]);
});

test("a failure is told once, and the same may be asked again", async () => {
  const [slot, line] = [new Slot({ delay: 0, linger: 100 }), new Line(1)];
  const told: unknown[] = [];
  const fail = async (): Promise<void> => {
    throw new Error("no");
  };
  slot.ask("a", line, fail, (error) => told.push(error));
  await tick();
  assert.equal(told.length, 1);
  assert.equal(slot.ask("a", line, fail, (error) => told.push(error)), true);
});

test("while the reader drags, what is under way is shown, and then the last that was asked", async () => {
  const [slot, line] = [new Slot({ delay: 0, linger: 1000 }), new Line(1)];
  const shown: [string, boolean][] = [];
  const failed = (): void => assert.fail("nothing failed");
  const ask = (name: string): boolean =>
    slot.ask(name, line, async () => {
      await tick(10);
      shown.push([name, slot.hasNewer]);
    }, failed);
  for (const name of ["a", "b", "c", "d"]) assert.equal(ask(name), true);
  await tick(60);
  assert.deepEqual(shown, [["a", true], ["d", false]]);
  ask("e");
  ask("f");
  assert.equal(ask("e"), true); // back to what is under way: nothing follows it
  await tick(60);
  assert.deepEqual(shown.slice(2), [["e", false]]);
});

test("what is under way for long gives way, and what is stopped leaves nothing behind", async () => {
  const [slot, line] = [new Slot({ delay: 0, linger: 5 }), new Line(1)];
  const shown: string[] = [];
  const failed = (): void => assert.fail("nothing failed");
  const ask = (name: string, milliseconds: number): boolean =>
    slot.ask(name, line, async (signal) => {
      await Promise.race([tick(milliseconds), new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      if (!signal.aborted) shown.push(name);
    }, failed);
  ask("long", 1000);
  await tick(10);
  ask("new", 1);
  await tick(20);
  assert.deepEqual(shown, ["new"]);
  ask("too long", 1000);
  ask("newer", 1); // is not asked at once, and does not wait without end
  await tick(40);
  assert.deepEqual(shown.splice(1), ["newer"]);
  ask("one", 20);
  ask("two", 1);
  slot.stop();
  await tick(40);
  assert.deepEqual(shown, ["new"]);
});
