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

  // The summary of an entry, the table of its steps, and its chart, which writes events in another way. The numbers of steps in a
  // chart are no words of the model.
  const numbers = /<text[^>]* class="quiet">tick [0-9]+<\/text>/g;
  function textOf(entry) {
    const folded = all(":scope > script.later", entry).map((part) => part.textContent);
    const html = folded.length > 0 ? folded.join(" ") : entry.innerHTML;
    const summary = entry.querySelector("summary").textContent;
    return `${summary} ${words(html.replace(numbers, " "))}`.toLowerCase();
  }

  // Read once, when something is looked for: with many sequences this is most of the work. Rows of purposes go with their group.
  let index = null;
  function read() {
    index ??= {
      rows: all("tr[data-status]").map((node) => ({
        node,
        text: node.textContent.toLowerCase(),
        group: node.dataset.group ? document.getElementById(node.dataset.group) : null,
      })),
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
    const hasStatus = ({ dataset }) =>
      !status.value || !dataset.status || dataset.status.split(" ").includes(status.value);
    const { rows, groups } = read();
    for (const { node, text, entries } of groups) {
      let some = fits(text);
      for (const entry of entries) {
        const fitting = fits(`${text} ${entry.text}`);
        entry.node.hidden = !fitting;
        some ||= fitting;
      }
      node.hidden = !(hasStatus(node) && some);
    }
    for (const { node, text, group } of rows) {
      node.hidden = group ? group.hidden : !(hasStatus(node) && fits(text));
    }
    sayNothingIsLeft();
    count();
  }

  // A list of which nothing is left says so, and has no head.
  function sayNothingIsLeft() {
    for (const note of all(".none")) {
      const section = note.parentElement;
      const isLeft = all("tr[data-status], .group", section).some((node) => !node.hidden);
      note.hidden = isLeft;
      for (const rest of all(":scope > table, :scope > .legend", section)) rest.hidden = !isLeft;
    }
  }

  function count() {
    const entries = all(".entry");
    const left = entries.filter((entry) => !entry.hidden && !entry.closest(".group").hidden);
    shown.textContent = `${left.length} of ${entries.length} sequences shown`;
  }

  function showAll() {
    filter.value = "";
    status.value = "";
    apply();
  }

  // What leads to a sequence, or to one of its steps, opens it. Its steps are there only when it is drawn.
  function openTarget() {
    const id = location.hash.slice(1);
    const entry = document.getElementById(id.replace(/t[0-9]+$/, ""));
    if (!(entry instanceof HTMLDetailsElement)) return;
    if (entry.closest("[hidden]")) showAll();
    draw(entry);
    entry.open = true;
    const target = document.getElementById(id) ?? entry;
    for (const before of all(".aimed")) before.classList.remove("aimed");
    if (target !== entry) target.classList.add("aimed");
    target.scrollIntoView();
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
