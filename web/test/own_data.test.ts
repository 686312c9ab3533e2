import assert from "node:assert/strict";
import { test } from "node:test";
import { FileFault, readOwnData } from "../src/explorer/own_data";

const EXPORT = `observer,practice,set_size,present,response,correct,rt,items
p_1,True,3,True,present,True,9.0,"[{""x"": 1, ""y"": 2}]"
p_1,False,3,True,present,True,0.5,"[{""x"": 1,
""y"": 2}]"
p_1,False,3,True,absent,False,0.7,[]
p_1,False,6,False,absent,True,1.25,[]
p_1,False,6,False,,False,,[]
`;

test("the laboratory's own export: practice and missing answers do not count", () => {
  const data = readOwnData("trials.csv", EXPORT);
  assert.equal(data.trials.length, 3);
  assert.deepEqual(data.sizes, [3, 6]);
  assert.deepEqual(data.cells, [
    { size: 3, side: "present", trials: 2, mean: 0.6, errors: 0.5 },
    { size: 6, side: "absent", trials: 1, mean: 1.25, errors: 0 },
  ]);
  assert.deepEqual(data.at(4), []);
});

test("milliseconds, semicolons, decimal commas, other names of columns", () => {
  const data = readOwnData("a.csv", "\uFEFFSetSize;Target;Response;RT\r\n8;1;1;640,5\r\n8;0;1;900\r\n");
  assert.deepEqual(data.cells, [
    { size: 8, side: "present", trials: 1, mean: 0.6405, errors: 0 },
    { size: 8, side: "absent", trials: 1, mean: 0.9, errors: 1 },
  ]);
  const tabs = readOwnData("b.tsv", "set_size\tpresent\tcorrect\trt\n4\tyes\t0\t.4\n");
  assert.deepEqual(tabs.cells, [{ size: 4, side: "present", trials: 1, mean: 0.4, errors: 1 }]);
});

test("two keys mean what makes most answers right, also F, which is no word for false", () => {
  const lines = ["set_size,target_present,key,RT", "3,0,f,524", "3,1,j,480", "3,1,f,700", "3,1,j,510"];
  assert.deepEqual(readOwnData("c.csv", lines.join("\n")).cells.map(({ side, errors }) => [side, errors]), [["present", 1 / 3], ["absent", 0]]);
  const swapped = lines.map((line) => line.replace(",f,", ",k,").replace(",j,", ",f,").replace(",k,", ",j,"));
  assert.deepEqual(readOwnData("c.csv", swapped.join("\n")).cells.map(({ side, errors }) => [side, errors]), [["present", 1 / 3], ["absent", 0]]);
});

test("a file that holds something else is refused in words", () => {
  assert.throws(() => readOwnData("x.csv", "a,b\n1,2\n"), (error: unknown) => error instanceof FileFault && /set_size, present, rt, response or correct; got the columns a, b/.test(error.message));
  assert.throws(() => readOwnData("x.csv", ""), FileFault);
  assert.throws(() => readOwnData("x.csv", "set_size,present,correct,rt\n3,maybe,1,0.5\n"), /none of 1 lines/);
});
