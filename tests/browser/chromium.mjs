// A page in Chromium, without a window, that notes what it asks for.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
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

/** Runs `use(page, requests)`; whatever a page asks for, from a network or from files, is refused and noted in `requests`. */
export async function inPage(use, settings = {}) {
  const profile = mkdtempSync(join(tmpdir(), "tracewright-browser-"));
  const context = await chromium.launchPersistentContext(profile, { ...OPTIONS, ...settings });
  const requests = [];
  await context.route("**/*", (route) => {
    const request = route.request();
    const isPage = request.isNavigationRequest() && request.frame().parentFrame() === null;
    if (isPage && request.url().startsWith("file:")) return route.continue();
    requests.push(request.url());
    return route.abort();
  });
  try {
    await requestsAreNoted(context, requests, profile);
    await use(context.pages()[0] ?? (await context.newPage()), requests);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// A page that asks for something, so that it is known that this is noted: from a network, from the folder it is in, by a script.
async function requestsAreNoted(context, requests, folder) {
  const asking = join(folder, "asking.html");
  const far = "http://tracewright.invalid/";
  writeFileSync(
    asking,
    `<!doctype html><link rel="stylesheet" href="${far}style.css"><img src="${far}image.png"><img src="beside.png">
    <iframe src="beside.html"></iframe><script>fetch("${far}data").catch(() => (document.title = "refused"))</script>`,
  );
  // A page of its own: what is said about it is not said about the page that is looked at.
  const page = await context.newPage();
  await page.goto(pathToFileURL(asking).href);
  await page.waitForFunction(() => document.title === "refused");
  await page.close();
  const beside = ["beside.png", "beside.html"].map((name) => pathToFileURL(join(folder, name)).href);
  const expected = [...beside, ...["style.css", "image.png", "data"].map((name) => far + name)];
  assert.deepEqual(requests.toSorted(), expected.toSorted(), "requests are noted");
  requests.length = 0;
}
