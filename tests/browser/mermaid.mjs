// Every chart in a folder is read by Mermaid's own parser: node mermaid.mjs FOLDER

import { readFileSync, readdirSync } from "node:fs";
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
  console.log(`${names.length - failed} of ${names.length} charts were read`);
  process.exitCode = failed > 0 ? 1 : 0;
});
