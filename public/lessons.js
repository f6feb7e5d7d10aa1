// What the pages beside the playground do for themselves: the theme, which exercises are solved and how readers have
// changed them, and the search on the coverage page. They can be read without any of it.
(() => {
  "use strict";

  const root = document.documentElement;
  const themeKey = "warpscope.theme", progressKey = "warpscope.lessons";
  const byId = (id) => document.getElementById(id);

  /** What is stored; null when there is nothing or storage is switched off. */
  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function store(key, value) {
    try {
      localStorage.setItem(key, value);
      return true;
    } catch {
      return false;
    }
  }

  /** Says whether the storage is open to the page. What is not there is forgotten, too. */
  function forget(key) {
    try {
      localStorage.removeItem(key);
      return true;
    } catch {
      return false;
    }
  }

  /** Why the page cannot keep something. */
  const refused = "this browser's storage is full or not allowed.";

  // ---- theme: the playground's choice, before anything is painted

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const wanted = stored(themeKey);
  if (wanted === "light" || wanted === "dark") root.dataset.theme = wanted;
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;

  function showTheme(button) {
    const words = isDark() ? "Light theme" : "Dark theme";
    button.setAttribute("aria-label", words);
    button.title = words;
    for (const program of document.querySelectorAll("warpscope-ptx")) {
      program.setAttribute("theme", root.dataset.theme || "auto");
    }
  }

  function themeButton() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "icon theme";
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("class", "glyph");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.5v11a5.5 5.5 0 0 1 0-11z");
    svg.append(path);
    button.append(svg);
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      store(themeKey, root.dataset.theme);
      showTheme(button);
    });
    dark.addEventListener("change", () => showTheme(button));
    document.querySelector(".site-head").append(button);
    showTheme(button);
  }

  // ---- progress: {"version": 1, "solved": {"01-lanes/double": "2026-01-31", …}}

  function progress() {
    try {
      return checked(JSON.parse(stored(progressKey)));
    } catch {
      return { version: 1, solved: {} };
    }
  }

  /** Takes over what has the form of progress, and nothing else. */
  function checked(value) {
    if (!value || value.version !== 1 || typeof value.solved !== "object" || !value.solved) {
      throw new Error("not a file of progress");
    }
    const solved = {};
    for (const [task, day] of Object.entries(value.solved).slice(0, 1000)) {
      if (/^[a-z0-9-]+\/[a-z0-9-]+$/.test(task) && /^\d{4}-\d\d-\d\d$/.test(day)) solved[task] = day;
    }
    return { version: 1, solved };
  }

  function markSolved(task) {
    const all = progress();
    all.solved[task] ||= new Date().toISOString().slice(0, 10);
    return store(progressKey, JSON.stringify(all));
  }

  function showSolved(section, kept) {
    section.classList.add("solved");
    section.querySelector(".task-state").textContent = kept ? "Solved" : `Solved. This is not kept: ${refused}`;
  }

  /** The lines of a launch header that say what runs and what must come out; not the title. */
  const launchLines = (text) => (text.match(/^[ \t]*\/\/@.*/gm) || [])
    .map((line) => line.replace(/\s+/g, " ").trim()).filter((line) => !line.startsWith("//@ title"));

  /** The first line of the lesson's launch header that the reader's text no longer has. */
  const missingLine = (original, text) => launchLines(original).find((line) => !launchLines(text).includes(line));

  // ---- what readers have made of an exercise: {"original": …, "text": …} for each, as long as the two differ

  const textsKey = "warpscope.exercise.";

  /** The reader's text of an exercise; null when there is none, or the lesson's has changed since. */
  function keptText(key, original) {
    try {
      const kept = JSON.parse(stored(key));
      return kept.original === original && typeof kept.text === "string" ? kept.text : null;
    } catch {
      return null;
    }
  }

  function keepText(section) {
    const program = section.querySelector("warpscope-ptx"), key = textsKey + section.dataset.task;
    const original = program.textContent, state = section.querySelector(".task-state");
    const reset = document.createElement("button");
    reset.type = "button";
    reset.textContent = "Original text";
    reset.hidden = true;
    section.querySelector(".task-head").append(reset);
    const kept = keptText(key, original);
    if (kept !== null) program.source = kept;
    reset.hidden = kept === null;
    section.addEventListener("edited", () => {
      const text = program.source;
      reset.hidden = text === original;
      if (reset.hidden) forget(key);
      else if (!store(key, JSON.stringify({ original, text }))) {
        state.textContent = `${state.textContent.split(".")[0]}. Your text is not kept: ${refused}`;
      }
    });
    reset.addEventListener("click", () => {
      if (!confirm("Replace your text with the lesson's?")) return;
      program.source = original;
      forget(key);
      section.tabIndex = -1;
      section.focus({ preventScroll: true });
      reset.hidden = true;
    });
  }

  function forgetTexts() {
    for (const key of Object.keys(localStorage)) if (key.startsWith(textsKey)) forget(key);
  }

  function watchTasks() {
    for (const section of document.querySelectorAll("[data-task]")) {
      const program = section.querySelector("warpscope-ptx"), original = program.textContent;
      keepText(section);
      if (progress().solved[section.dataset.task]) showSolved(section, true);
      section.addEventListener("expectations", (event) => {
        const missing = missingLine(original, program.source), state = section.querySelector(".task-state");
        if (passed(event.detail) && !missing) showSolved(section, markSolved(section.dataset.task));
        else if (section.classList.contains("solved")) return;
        else if (missing) state.textContent = `Not solved: your text lacks the line ${missing}`;
        else if (state.textContent.startsWith("Not solved:")) state.textContent = "Not solved yet";
      });
    }
  }

  /** All expectations of a run pass; a run that expects nothing passes nothing. */
  function passed(detail) {
    const list = detail && detail.list || [];
    return list.length > 0 && list.every((e) => e.pass) && detail.ok !== false;
  }

  // ---- list of lessons

  function showProgress() {
    const bar = byId("progress");
    if (!bar) return;
    const { solved } = progress();
    let count = 0;
    for (const item of document.querySelectorAll("[data-tasks]")) {
      const tasks = item.dataset.tasks.split(" ").filter(Boolean);
      const done = tasks.filter((task) => solved[task]).length;
      count += done;
      item.classList.toggle("solved", tasks.length > 0 && done === tasks.length);
      item.querySelector(".lesson-done").textContent = done === 0 ? "" : done === tasks.length ? "✓ solved" : `${done} solved`;
    }
    bar.hidden = false;
    byId("progress-text").textContent = `${count} of ${bar.dataset.exercises} exercises solved.`;
  }

  function exportProgress() {
    const file = new Blob([JSON.stringify(progress(), null, 2) + "\n"], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = "warpscope-progress.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    byId("progress-note").textContent = "Saved as warpscope-progress.json.";
  }

  async function importProgress(input) {
    const [file] = input.files;
    if (!file) return;
    const note = byId("progress-note");
    try {
      const theirs = checked(JSON.parse(await file.text()));
      const all = progress();
      const before = Object.keys(all.solved).length;
      all.solved = { ...theirs.solved, ...all.solved };
      const added = Object.keys(all.solved).length - before;
      note.textContent = store(progressKey, JSON.stringify(all))
        ? `${added} solved exercises added.` : `Nothing is added: ${refused}`;
      showProgress();
    } catch {
      note.textContent = `${file.name} is not a file of progress that this page has exported.`;
    }
    input.value = "";
  }

  function listOfLessons() {
    if (!byId("progress")) return;
    showProgress();
    const probe = "warpscope.probe";
    if (!store(probe, "")) byId("progress-kept").textContent = `New ones are not kept: ${refused}`;
    forget(probe);
    byId("progress-export").addEventListener("click", exportProgress);
    const input = byId("progress-import");
    input.addEventListener("change", () => importProgress(input));
    byId("progress-choose").addEventListener("click", () => input.click());
    byId("progress-clear").addEventListener("click", () => {
      if (!confirm("Forget which exercises are solved, and your texts of exercises?")) return;
      const open = forget(progressKey);
      if (open) forgetTexts();
      byId("progress-note").textContent = open ? "Forgotten." : `Nothing was kept: ${refused}`;
      showProgress();
    });
    addEventListener("pageshow", showProgress);
  }

  // ---- coverage

  function coverage() {
    const bar = byId("coverage-filter");
    if (!bar) return;
    bar.hidden = false;
    const search = byId("coverage-search"), choice = byId("coverage-choice");
    const said = (element, part) => element.querySelector(part).textContent.toLowerCase();
    const families = [...document.querySelectorAll(".family")].map((element) =>
      ({ element, text: said(element, "summary") + said(element, ".listing") + said(element, ".types") }));
    const chapters = [...document.querySelectorAll(".chapter")];
    const filter = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      for (const { element, text } of families) {
        const { word, fidelity } = element.dataset;
        const fits = !choice.value || choice.value === word || choice.value === "bound" && fidelity.includes("bound");
        const show = fits && words.every((w) => text.includes(w));
        element.hidden = !show;
        found += show;
      }
      for (const chapter of chapters) chapter.hidden = !chapter.querySelector(".family:not([hidden])");
      byId("coverage-found").textContent = found === families.length ? `${found} families` :
        `${found} of ${families.length} families`;
    };
    search.addEventListener("input", filter);
    choice.addEventListener("change", filter);
    filter();
    const open = () => {
      const target = byId(decodeURIComponent(location.hash.slice(1)));
      const details = target && target.closest("details");
      if (!details) return;
      details.open = true;
      details.scrollIntoView();
    };
    addEventListener("hashchange", open);
    open();
  }

  // ---- listings and tables that are wider than the page: they can have the focus, so that keys scroll them

  function scrollByKeys() {
    const sizes = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
        else target.removeAttribute("tabindex");
      }
    });
    for (const box of document.querySelectorAll(".listing, .prose table")) sizes.observe(box);
  }

  function begin() {
    themeButton();
    scrollByKeys();
    watchTasks();
    listOfLessons();
    coverage();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin, { once: true });
  else begin();
})();
