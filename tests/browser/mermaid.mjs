// Every chart in a folder is read by Mermaid's own parser: node mermaid.mjs FOLDER
//
// A chart with a list of texts beside it, NAME.mmd and NAME.texts.json, is drawn as well: its messages are these texts.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inPage } from "./chromium.mjs";

const folder = process.argv[2];
const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".mmd"));
const library = createRequire(import.meta.url).resolve("mermaid").replace(/[^/]*$/, "mermaid.min.js");

await inPage(async (page) => {
  await page.addScriptTag({ path: library });
  const parse = (text) =>
    page.evaluate((text) => mermaid.parse(text).then((read) => read.diagramType, (error) => `not read: ${error.message}`), text);
  // The parser does refuse what is wrong.
  const wrong = await parse("sequenceDiagram\n    a->>b\n    end end\n");
  if (!wrong.startsWith("not read")) throw new Error(`a wrong chart was read as ${wrong}`);
  let failed = 0;
  for (const name of names) {
    const read = await parse(readFileSync(join(folder, name), "utf8"));
    if (read !== "sequence") {
      console.error(`${name}: ${read}`);
      failed += 1;
    }
  }
  for (const name of names) {
    const texts = join(folder, name.replace(/\.mmd$/, ".texts.json"));
    if (existsSync(texts)) await isDrawn(page, readFileSync(join(folder, name), "utf8"), JSON.parse(readFileSync(texts, "utf8")));
  }
  console.log(`${names.length - failed} of ${names.length} charts were read`);
  process.exitCode = failed > 0 ? 1 : 0;
});

// Spaces around a text are not drawn; an empty one is drawn as a space of no width.
async function isDrawn(page, chart, texts) {
  const drawn = await page.evaluate(async (chart) => {
    mermaid.initialize({ startOnLoad: false });
    document.body.innerHTML = (await mermaid.render("drawn", chart)).svg;
    return [...document.querySelectorAll(".messageText")].map((message) => message.textContent);
  }, chart);
  const trimmed = (text) => text.replace("\u200b", "").trim();
  assert.deepEqual(drawn.map(trimmed), texts.map(trimmed), "Mermaid draws the texts of the chart");
}
