// A page in Chromium, without a window, that counts what it asks the network for.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const OPTIONS = {
  executablePath: "/usr/bin/chromium",
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/** Runs `use(page, requests)`; whatever the page asks for, apart from files, is refused and noted in `requests`. */
export async function inPage(use, settings = {}) {
  const profile = mkdtempSync(join(tmpdir(), "tracewright-browser-"));
  const context = await chromium.launchPersistentContext(profile, { ...OPTIONS, ...settings });
  const requests = [];
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith("file:")) return route.continue();
    requests.push(url);
    return route.abort();
  });
  try {
    await use(context.pages()[0] ?? (await context.newPage()), requests);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
