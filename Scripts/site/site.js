"use strict";
(() => {
  const script = document.currentScript;
  const root = script.dataset.root || "./";

  // The theme: the system's, unless the reader has chosen another.
  const page = document.documentElement;
  const chosen = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  if (chosen()) page.dataset.theme = chosen();
  document.getElementById("theme").addEventListener("click", () => {
    const isDark = page.dataset.theme
      ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    page.dataset.theme = isDark ? "light" : "dark";
    try { localStorage.setItem("theme", page.dataset.theme); } catch { /* The choice lasts for this page. */ }
  });

  // A button on each block copies its commands, without prompts and output.
  for (const block of document.querySelectorAll("main pre:has(code[class])")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      const text = block.querySelector("code")?.textContent ?? "";
      const lines = text.split("\n");
      const commands = [];
      for (const line of lines) {
        if (line.startsWith("$ ")) commands.push(line.slice(2));
        else if (commands.length && commands[commands.length - 1].endsWith("\\")) commands.push(line);
      }
      navigator.clipboard?.writeText(commands.length ? commands.join("\n") : text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }

  // The search: all words must occur; titles count more than summaries.
  const input = document.getElementById("search");
  const results = document.getElementById("results");
  let index = null;
  const load = () => new Promise((done) => {
    if (index) return done();
    const element = document.createElement("script");
    element.src = root + "search.js";
    element.onload = () => { index = window.searchIndex.map((entry) => ({
      title: entry[0], path: entry[1], group: entry[2], summary: entry[3],
      low: entry[0].toLowerCase(), about: (entry[2] + " " + entry[3]).toLowerCase(),
      text: (entry[4] || "").toLowerCase(),
    })); done(); };
    document.head.append(element);
  });
  const score = (entry, words) => {
    let sum = 0;
    for (const word of words) {
      if (entry.low === word) sum += 50;
      else if (entry.low.includes(word)) sum += entry.low.startsWith(word) ? 20 : 10;
      else if (entry.about.includes(word)) sum += 5;
      else if (entry.text.includes(word)) sum += 1;
      else return 0;
    }
    // Pages come before symbols and parts of pages.
    return sum - entry.title.length / 100 + (entry.text ? 30 : entry.path.startsWith("libraries/") ? 0 : 8);
  };
  const show = async () => {
    await load();
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = !words.length ? [] : index.map((entry) => [score(entry, words), entry])
      .filter((pair) => pair[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
    results.replaceChildren(...found.map(([, entry]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const small = document.createElement("small");
      link.href = root + entry.path;
      link.textContent = entry.title;
      small.textContent = entry.group + " · " + entry.summary;
      link.append(small);
      item.append(link);
      return item;
    }));
    results.hidden = !found.length;
    results.querySelector("a")?.classList.add("chosen");
  };
  input.addEventListener("input", show);
  input.addEventListener("focus", load);
  input.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll("a")];
    const at = links.findIndex((link) => link.classList.contains("chosen"));
    if (event.key === "Escape") { input.value = ""; results.hidden = true; input.blur(); }
    if (event.key === "Enter" && links[at]) location.href = links[at].href;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = links[(at + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length];
      links[at]?.classList.remove("chosen");
      next?.classList.add("chosen");
      next?.scrollIntoView({ block: "nearest" });
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) results.hidden = true; });
})();
