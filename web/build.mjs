// Bundles the pages into the Python package, with the licences of all that is in them.
//
//   node build.mjs           writes ../src/popout/web/static
//   node build.mjs --tests   writes the unit tests, as plain modules, to made/

import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, "../src/popout/web/static");

const common = { absWorkingDir: here, bundle: true, format: "esm", target: "es2022", logLevel: "warning" };

if (process.argv.includes("--tests")) {
  const tests = (await readdir(path.join(here, "test"))).filter((name) => name.endsWith(".test.ts"));
  await rm(path.join(here, "made"), { recursive: true, force: true });
  await esbuild.build({
    ...common,
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: "made",
    platform: "node",
  });
} else {
  await buildPages();
}

async function buildPages() {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const built = await esbuild.build({
    ...common,
    entryPoints: {
      explorer: "src/explorer/main.ts",
      lab: "src/lab/main.ts",
      researcher: "src/researcher/main.ts",
      glossary: "src/glossary.ts",
      "explorer-style": "styles/explorer.css",
      "lab-style": "styles/lab.css",
      "researcher-style": "styles/researcher.css",
      "glossary-style": "styles/glossary.css",
    },
    outdir: out,
    minify: true,
    metafile: true,
    legalComments: "none",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file" },
    plugins: [plotWithoutStyle()],
  });
  await cp(path.join(here, "pages"), out, { recursive: true });
  await writeGlossary(path.join(out, "glossary.html"));
  await writeFile(path.join(out, "licences.txt"), await licences(Object.keys(built.metafile.inputs)));
}

// Every plot of Observable Plot brings a <style> along. The content security policy allows no inline
// style, so it is left out here; styles/common.css has the same rules.
function plotWithoutStyle() {
  return {
    name: "plot-without-style",
    setup(build) {
      build.onLoad({ filter: /@observablehq[\\/]plot[\\/]src[\\/]plot\.js$/ }, async ({ path: file }) => {
        const source = await readFile(file, "utf8");
        const contents = source.replace(/\.call\(\(svg\) =>\s*(?:\/\/[^\n]*\s*)?svg\.append\("style"\)\.text\(\s*`[^`]*`\s*\)\s*\)/, "");
        if (contents === source) throw new Error("Observable Plot no longer adds its style in the way that is known here");
        return { contents, loader: "js" };
      });
    },
  };
}

// The glossary says what the documentation says: a table of two columns becomes a list of words.
async function writeGlossary(file) {
  let page = await readFile(file, "utf8");
  for (const name of ["explorer.md", "glossary.md"]) {
    const source = await readFile(path.join(here, "../docs", name), "utf8");
    const [, , ...rows] = source.slice(source.indexOf("\n| ") + 1).split("\n\n")[0].split("\n");
    const entries = rows.filter((row) => row.startsWith("| ")).map((row) => row.slice(2, -2).split(" | ", 2));
    if (entries.length === 0) throw new Error(`docs/${name} has no table of words`);
    page = page.replace(`<!-- docs/${name} -->`, entries.map(entryOf).join("\n        "));
  }
  await writeFile(file, page);
}

function entryOf([word, meaning]) {
  const plain = word.replaceAll("*", "");
  const id = plain.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return `<div id="${id}"><dt>${asHtml(plain)}</dt><dd>${asHtml(meaning)}</dd></div>`;
}

/** The little Markdown that stands in these tables; links to other pages of the documentation stay words. */
function asHtml(text) {
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return safe.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replace(/`([^`]+)`/g, "<code>$1</code>").replace(/\*+([^*]+)\*+/g, "<em>$1</em>");
}

async function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) names.add(found[1]);
  }
  const parts = [];
  for (const name of [...names].sort()) {
    const folder = path.join(here, "node_modules", name);
    const about = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file ? await readFile(path.join(folder, file), "utf8") : "(the package has no file with its licence)";
    parts.push(`${name} ${about.version}: ${about.license}\n\n${text.trim()}\n`);
  }
  return parts.join("\n----------------------------------------\n\n");
}
