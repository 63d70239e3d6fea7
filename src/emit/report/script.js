// What is folded is drawn when it is opened. The filter looks at the texts of everything, drawn or not.
(() => {
  "use strict";

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const filter = document.getElementById("filter");
  const status = document.getElementById("status");
  const shown = document.getElementById("shown");

  // A folded part holds its HTML as a text.
  function draw(details) {
    for (const later of all(":scope > script.later", details)) {
      const template = document.createElement("template");
      template.innerHTML = later.textContent;
      later.replaceWith(template.content);
    }
  }

  const characters = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };
  const words = (html) => html.replace(/<[^>]*>/g, " ").replace(/&(lt|gt|quot|amp);/g, (known) => characters[known]);

  // The summary of an entry and the table of its steps; charts say nothing else.
  function textOf(entry) {
    const steps = entry.querySelector(":scope > script.later");
    const summary = entry.querySelector("summary").textContent;
    const text = steps ? words(steps.textContent) : entry.querySelector("table").textContent;
    return `${summary} ${text}`.toLowerCase();
  }

  // Read once, when something is looked for: with many sequences this is most of the work.
  let index = null;
  function read() {
    index ??= {
      rows: all("tr[data-status]").map((node) => ({ node, text: node.textContent.toLowerCase() })),
      groups: all(".group").map((node) => ({
        node,
        text: node.querySelector(".head").textContent.toLowerCase(),
        entries: all(".entry", node).map((entry) => ({ node: entry, text: textOf(entry) })),
      })),
    };
    return index;
  }

  function apply() {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (text) => wanted.every((word) => text.includes(word));
    const hasStatus = (node) => !status.value || !node.dataset.status || node.dataset.status === status.value;
    const { rows, groups } = read();
    for (const { node, text } of rows) node.hidden = !(hasStatus(node) && fits(text));
    for (const { node, text, entries } of groups) {
      let some = fits(text);
      for (const entry of entries) {
        const fitting = fits(`${text} ${entry.text}`);
        entry.node.hidden = !fitting;
        some ||= fitting;
      }
      node.hidden = !(hasStatus(node) && some);
    }
    count();
  }

  function count() {
    const entries = all(".entry");
    const left = entries.filter((entry) => !entry.hidden && !entry.closest(".group").hidden);
    shown.textContent = `${left.length} of ${entries.length} sequences shown`;
  }

  function openTarget() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  }

  document.addEventListener("toggle", (event) => event.target.open && draw(event.target), true);
  filter.addEventListener("input", apply);
  status.addEventListener("input", apply);
  document.getElementById("search").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("unfold").addEventListener("click", () => {
    for (const entry of all(".group:not([hidden]) > .entry:not([hidden])")) entry.open = true;
  });
  document.getElementById("foldall").addEventListener("click", () => {
    for (const details of all("details[open]")) details.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input, select")) {
      event.preventDefault();
      filter.focus();
    }
    if (event.key === "Escape" && event.target === filter) {
      filter.value = "";
      apply();
    }
  });
  window.addEventListener("hashchange", openTarget);
  openTarget();
  count();
})();
