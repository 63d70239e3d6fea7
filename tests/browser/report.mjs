// A report, opened and used: node report.mjs PAGE.html EXPECTED.json
//
// What is expected: how many sequences there are, what is left by which filters, the counts of the coverage, the names of
// purposes. Prints how long the filter took; that decides nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { inPage } from "./chromium.mjs";

const [file, expectedFile] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expectedFile, "utf8"));

await inPage(async (page, requests) => {
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("dialog", (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await page.goto(pathToFileURL(file).href);

  const names = await page.locator("#answers tbody a").allTextContents();
  assert.deepEqual(names, expected.purposes);
  for (const [name, count] of Object.entries(expected.counts)) {
    assert.equal(await page.locator(`[data-count="${name}"]`).textContent(), String(count), name);
  }
  assert.equal(await page.locator(".entry").count(), expected.sequences);

  await charts(page, expected);
  await filters(page, expected);
  await links(page);
  await keyboard(page);
  assert.equal(await page.locator("b.planted, img").count(), 0, "texts of the model stay texts");
  assert.deepEqual(requests, [], "nothing is asked for");
  assert.deepEqual(errors, []);
});

// One chart can be seen at once; another one is drawn when its entry is opened.
async function charts(page, { sequences }) {
  if (sequences === 0) return;
  assert.ok(await page.locator(".entry[open] svg.chart").first().isVisible(), "a chart is visible");
  const drawn = await page.locator("svg.chart").count();
  if (sequences > drawn) {
    const closed = page.locator(".entry:not([open]) > summary").first();
    await closed.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((before) => document.querySelectorAll("svg.chart").length === before + 1, drawn);
  }
  assert.ok((await page.locator("svg.graph").count()) > 0, "the model is drawn");
}

async function filters(page, { filters, sequences }) {
  for (const { text = "", status = "", left, groups, items } of filters) {
    await page.locator("#filter").fill("");
    await page.locator("#filter").pressSequentially(text);
    await page.locator("#status").selectOption(status);
    const seen = await page.locator(".group:not([hidden]) > .entry:not([hidden])").count();
    assert.equal(seen, left, `sequences left by ${text} ${status}`);
    assert.equal(await page.locator("#shown").textContent(), `${left} of ${sequences} sequences shown`);
    if (groups) {
      const shown = await page.locator(".group:not([hidden]) h3").allTextContents();
      assert.deepEqual(shown.map((name) => name.split(" ")[0]), groups, `purposes left by ${text} ${status}`);
      const listed = await page.locator("#answers tbody tr:not([hidden]) a").allTextContents();
      assert.deepEqual(listed, groups, `purposes listed for ${text} ${status}`);
    }
    if (items) {
      const listed = await page.locator("#coverage tbody tr:not([hidden]) td:first-child").allTextContents();
      assert.deepEqual(listed, items, `items left by ${text} ${status}`);
    }
    const empty = (groups ?? items)?.length === 0;
    if (groups || items) {
      const part = page.locator(groups ? "#answers" : "#coverage");
      assert.equal(await part.locator(".none").isVisible(), empty, `whether nothing is left by ${text} ${status}`);
      assert.equal(await part.locator("table").isVisible(), !empty, "a list of nothing has no head");
    }
  }
  await page.locator("#status").selectOption("");
  if (filters.length > 0) {
    const took = await page.evaluate((text) => {
      const filter = document.getElementById("filter");
      filter.value = text;
      const start = performance.now();
      filter.dispatchEvent(new Event("input"));
      document.body.getBoundingClientRect();
      return performance.now() - start;
    }, filters[0].text);
    console.log(`the filter took ${took.toFixed(1)} ms for ${sequences} sequences`);
  }
  await page.locator("#filter").press("Escape");
  assert.equal(await page.locator(".entry:not([hidden])").count(), sequences, "Escape shows everything again");
}

// A link to a step opens its sequence and shows the step, also where a filter hides the sequence.
async function links(page) {
  const link = page.locator("#coverage td a").last();
  if ((await link.count()) === 0) return;
  const [id, step] = (await link.getAttribute("href")).match(/^#(p0s[0-9]+)t([0-9]+)$/).slice(1);
  await page.locator("#foldall").click();
  await page.evaluate((id) => (document.getElementById(id).hidden = true), id);
  await link.click();
  const row = page.locator(`#${id}[open] tr.aimed`);
  await row.waitFor();
  assert.equal(await row.locator("td").first().textContent(), step, "the step that the link speaks of");
  assert.equal(await page.locator(".aimed").count(), 1);
  assert.ok(await row.isVisible());
}

// Tab reaches everything that can be used; `/` leads to the filter.
async function keyboard(page) {
  await page.locator("#foldall").click();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "filter");
  // With many sequences the first ones stand for all.
  const most = 60;
  const all = await page.evaluate(() => {
    const things = [...document.querySelectorAll("a[href], input, select, button, summary")];
    const visible = things.filter((thing) => thing.checkVisibility());
    visible.forEach((thing, number) => (thing.dataset.number = number));
    document.activeElement.blur();
    return visible.length;
  });
  await page.evaluate(() => window.getSelection().removeAllRanges());
  const reached = new Set();
  await page.locator("[data-number='0']").focus();
  for (let step = 0; step < Math.min(all, most) + 10; step += 1) {
    reached.add(await page.evaluate(() => document.activeElement.dataset.number));
    await page.keyboard.press("Tab");
  }
  for (let number = 0; number < Math.min(all, most); number += 1) {
    assert.ok(reached.has(String(number)), `Tab reaches thing ${number} of ${all}`);
  }
}
