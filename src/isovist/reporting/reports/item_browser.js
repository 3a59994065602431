"use strict";
// Every item of a report. The data are scripts in items/ that call functions of this page, because a page opened from a disk may
// load scripts but not fetch files. Text from a model is always inserted as text, never as markup.

const ROW = 44, HEAD = 40; // pixels, as in the style sheet
const SPARE = 12; // rows above and below the visible ones
const MOST = 300; // values that a filter offers
const FIXED = ["run", "ability", "task", "level", "condition"]; // filters whose values keep their order; those of the others are sorted by number of items
const FILTERS = [...FIXED, "outcome", "other_outcome", "key", "answer", "distractor_type"];
const COLUMNS = [...FILTERS.filter((name) => name !== "other_outcome"), "variant"];
const TITLES = {
  run: "Model", ability: "Ability", task: "Task", level: "Level", condition: "Condition", outcome: "Outcome", other_outcome: "Other outcome", key: "Key", answer: "Answer", distractor_type: "Distractor type",
};
const STYLED = new Set(["correct", "partial", "incorrect", "request error"]); // all other outcomes have one style
const at = (id) => document.getElementById(id);

const state = {
  index: null, n: 0, columns: Object.fromEntries([...COLUMNS, "other_outcome"].map((name) => [name, []])), ids: [], images: [],
  other: -1, twins: null, // the run that is compared, and the items of all runs by id and variant
  filters: Object.fromEntries(FILTERS.map((name) => [name, -1])), search: "",
  finding: "", counted: null, // the sentence of a finding, and its items
  found: [], chosen: -1, texts: new Map(), words: [], loading: new Map(), selects: {},
};

// Data ---------------------------------------------------------------------------------------------------------------

window.isovist = {
  index(index) {
    state.index = index;
    index.values.other_outcome = index.values.outcome;
  },
  list(columns) {
    for (const name of COLUMNS) for (const value of columns[name]) state.columns[name].push(value);
    for (const name of ["ids", "images"]) for (const value of columns[name]) state[name].push(value);
    state.n = state.ids.length;
  },
  text(chunk, texts) {
    state.texts.set(chunk, texts);
    const first = state.index.texts[chunk];
    texts.forEach((it, place) => {
      state.words[first + place] = [it.prompt, it.options.join("\n"), it.response, it.reasoning, fullId(first + place)].join("\n").toLowerCase();
    });
  },
};

function script(path) {
  if (!state.loading.has(path)) {
    state.loading.set(path, new Promise((resolve, reject) => {
      const node = document.createElement("script");
      node.src = `items/${path}`;
      node.onload = () => { node.remove(); resolve(); };
      node.onerror = () => { state.loading.delete(path); reject(new Error(`items/${path} cannot be loaded. Keep the folder items/ next to this page.`)); };
      document.head.append(node);
    }));
  }
  return state.loading.get(path);
}

function chunkOf(item) {
  const starts = state.index.texts;
  let low = 0, high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= item) low = middle;
    else high = middle - 1;
  }
  return low;
}

const chunkPath = (chunk) => `text-${String(chunk).padStart(5, "0")}.js`;

async function textOf(item) {
  const chunk = chunkOf(item);
  if (!state.texts.has(chunk)) await script(chunkPath(chunk));
  return state.texts.get(chunk)[item - state.index.texts[chunk]];
}

const named = (column, item) => state.index.values[column][state.columns[column][item]];
const outcomeClass = (outcome) => (STYLED.has(outcome) ? outcome.replace(" ", "_") : "unparsed");
const fullId = (item) => named("task", item) + state.ids[item];
// "cdr/relative-compass-letter": "Relative compass letter"
const title = (task) => {
  const name = task.slice(task.indexOf("/") + 1).replaceAll("-", " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
};

// The same trial in another run, -1 if that run lacks it.
function twin(item, run) {
  const place = (it) => `${fullId(it)} ${named("variant", it)}`;
  if (!state.twins) {
    state.twins = new Map();
    for (let it = 0; it < state.n; it += 1) {
      if (!state.twins.has(place(it))) state.twins.set(place(it), new Map());
      state.twins.get(place(it)).set(state.columns.run[it], it);
    }
  }
  return state.twins.get(place(item)).get(run) ?? -1;
}

function compare(run) {
  state.other = run;
  if (run >= 0 && (state.filters.run < 0 || state.filters.run === run)) state.filters.run = run ? 0 : 1;
  if (run < 0) state.filters.other_outcome = -1;
  state.columns.other_outcome = state.ids.map((_, item) => {
    const other = run < 0 ? -1 : twin(item, run);
    return other < 0 ? -1 : state.columns.outcome[other];
  });
}

// Filters ------------------------------------------------------------------------------------------------------------

function filtered() {
  const active = FILTERS.filter((name) => state.filters[name] >= 0);
  const counts = Object.fromEntries(FILTERS.map((name) => [name, new Map()]));
  const search = state.search.toLowerCase();
  const found = [];
  for (let item = 0; item < state.n; item += 1) {
    if (search && !(state.words[item] || "").includes(search)) continue;
    if (state.counted && !state.counted.has(item)) continue;
    let failed = 0, which = "";
    for (const name of active) {
      if (state.columns[name][item] !== state.filters[name]) {
        failed += 1;
        which = name;
        if (failed > 1) break;
      }
    }
    if (failed > 1) continue;
    if (!failed) found.push(item);
    for (const name of failed ? [which] : FILTERS) {
      const value = state.columns[name][item];
      counts[name].set(value, (counts[name].get(value) || 0) + 1);
    }
  }
  state.found = found;
  return counts;
}

function offer(counts) {
  for (const name of FILTERS) {
    const select = state.selects[name];
    const values = state.index.values[name];
    const listed = [...counts[name]].filter(([value]) => value >= 0);
    listed.sort(FIXED.includes(name) ? (a, b) => a[0] - b[0] : (a, b) => b[1] - a[1] || a[0] - b[0]);
    const chosen = state.filters[name];
    const shown = listed.slice(0, MOST);
    if (chosen >= 0 && !shown.some(([value]) => value === chosen)) shown.push([chosen, counts[name].get(chosen) || 0]);
    const options = shown.map(([value, count]) => {
      const words = values[value] === "" ? "(empty)" : values[value];
      const option = new Option(`${visible(words.length > 60 ? `${words.slice(0, 59)}…` : words)} (${count})`, String(value));
      return option;
    });
    const more = listed.length - shown.length;
    if (more > 0) options.push(Object.assign(new Option(`and ${more} more (use the search)`, ""), { disabled: true }));
    select.replaceChildren(...(name === "run" && state.other >= 0 ? [] : [new Option("all", "-1")]), ...options);
    select.value = String(chosen);
    select.classList.toggle("set", chosen >= 0);
    select.parentElement.hidden = (values.length < 2 && chosen < 0) || (name === "other_outcome" && state.other < 0);
  }
  const runs = state.index.values.run.map((name, run) => new Option(visible(name), String(run))).filter((_, run) => run !== state.filters.run);
  const other = state.selects.other;
  other.replaceChildren(new Option("no other", "-1"), ...runs);
  other.value = String(state.other);
  other.classList.toggle("set", state.other >= 0);
  other.parentElement.hidden = state.index.values.run.length < 2;
}

let searching = 0;
async function search(words) {
  state.search = words.trim();
  searching += 1;
  const turn = searching;
  if (state.search) {
    for (let chunk = 0; chunk < state.index.texts.length; chunk += 1) {
      if (state.texts.has(chunk)) continue;
      await script(chunkPath(chunk));
      if (turn !== searching) return;
      if (chunk % 8 === 0) at("count").textContent = `reading ${Math.round((100 * chunk) / state.index.texts.length)} %`;
    }
  }
  refresh();
}

function refresh() {
  const before = state.chosen;
  offer(filtered());
  const position = state.found.indexOf(before);
  at("rows").style.height = `${state.found.length * ROW}px`;
  at("list").setAttribute("aria-rowcount", String(state.found.length + 1));
  at("head").replaceChildren(head());
  const noun = state.index.values.condition.length > 1 ? "trials" : "items";
  const sampled = state.index.sampled_from; // the number of all items, if these are a sample
  const sample = sampled ? ` (a random sample of ${sampled.toLocaleString("en")} items, equally many of each task)` : "";
  const of = (state.n === 1 ? "1 item" : `${state.n.toLocaleString("en")} ${noun}`) + sample;
  at("count").textContent = state.found.length === state.n ? of : `${state.found.length.toLocaleString("en")} of ${of}`;
  choose(position >= 0 ? position : 0);
}

// List ---------------------------------------------------------------------------------------------------------------

function node(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Replace invisible control characters, such as null bytes, by visible symbols.
const visible = (words) => words.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0))).replace(/\u007f/g, "\u2421");

const span = (className, words, ...more) => node("span", { className, title: words, textContent: more.length ? "" : words }, ...more);

function grid(tag, cells) {
  const [runs, variants] = [state.other < 0 && state.filters.run < 0 && state.index.values.run.length > 1, state.index.values.condition.length > 1];
  const shown = [cells.item, runs && cells.run, variants && cells.condition, cells.key, cells.result, state.other >= 0 && cells.other].filter(Boolean);
  const row = node("div", { className: `row ${["three", "four", "five"][shown.length - 3]}${state.other < 0 ? "" : " two"}`, role: "row" });
  shown.forEach((cell) => cell.setAttribute("role", tag));
  row.append(...shown);
  return row;
}

function head() {
  const model = (run) => span("", visible(state.index.values.run[run] ?? ""), visible(state.index.short[run] ?? ""));
  const cells = { item: span("", "Item"), run: span("wide", "Model"), condition: span("wide", "Condition"), key: span(state.other < 0 ? "" : "wide", "Key") };
  cells.result = state.other < 0 ? span("", "Outcome, answer") : model(state.filters.run);
  if (state.other >= 0) cells.other = model(state.other);
  return grid("columnheader", cells);
}

// The outcome of an item, and below it the parsed answer.
function result(item) {
  if (item < 0) return span("", "not in this run");
  const outcome = named("outcome", item);
  const answer = state.columns.answer[item] < 0 ? "-" : visible(named("answer", item));
  return span("", `${outcome}, answer: ${answer}`, span(`outcome ${outcomeClass(outcome)}`, outcome), span("sub", answer));
}

function draw() {
  const list = at("list");
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - SPARE);
  const last = Math.min(state.found.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + SPARE);
  const rows = [];
  for (let place = first; place < last; place += 1) {
    const item = state.found[place];
    const number = /:([0-9]+)(#|$)/.exec(state.ids[item]);
    const row = grid("gridcell", {
      item: span("with-image", fullId(item), thumbnail(item), span("title", `${title(named("task", item))} ${number ? number[1] : state.ids[item]}`), span("sub task", named("task", item))),
      run: node("span", { className: "wide name", title: named("run", item), textContent: visible(state.index.short[state.columns.run[item]]) }),
      condition: span("wide", named("condition", item)),
      key: span(state.other < 0 ? "" : "wide", visible(named("key", item))),
      result: result(item),
      other: state.other < 0 ? null : result(twin(item, state.other)),
    });
    row.id = `row-${place}`;
    row.setAttribute("aria-selected", String(item === state.chosen));
    row.setAttribute("aria-rowindex", String(place + 2)); // the first row has the headings
    row.style.top = `${place * ROW}px`;
    row.addEventListener("click", () => choose(place));
    rows.push(row);
  }
  at("rows").replaceChildren(...rows);
}

function choose(place) {
  state.place = Math.max(0, Math.min(place, state.found.length - 1));
  state.chosen = state.found.length ? state.found[state.place] : -1;
  const list = at("list");
  const top = state.place * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW + HEAD > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW + HEAD - list.clientHeight;
  draw();
  if (state.chosen < 0) list.removeAttribute("aria-activedescendant");
  else list.setAttribute("aria-activedescendant", `row-${state.place}`);
  remember();
  return show().catch((error) => at("item").replaceChildren(node("p", { textContent: error.message })));
}

// Links --------------------------------------------------------------------------------------------------------------

function remember() {
  const link = new URLSearchParams();
  for (const name of FILTERS) if (state.filters[name] >= 0) link.set(name, state.index.values[name][state.filters[name]]);
  if (state.counted) link.set("finding", state.finding);
  if (state.other >= 0) link.set("with", state.index.values.run[state.other]);
  if (state.search) link.set("q", state.search);
  if (state.chosen >= 0) {
    link.set("id", fullId(state.chosen));
    if (state.index.values.run.length > 1) link.set("item_run", named("run", state.chosen));
    if (named("variant", state.chosen)) link.set("item_variant", named("variant", state.chosen));
  }
  state.hash = `#${link}`;
  history.replaceState(null, "", state.hash);
}

function only(run, sentence) {
  const items = sentence && state.index.findings?.[run]?.[sentence];
  state.finding = items ? sentence : "";
  state.counted = items ? new Set(items) : null;
  at("finding").textContent = state.finding && `Items of the finding: ${state.finding}`;
  at("finding").hidden = !items;
}

function clear() {
  for (const name of FILTERS) state.filters[name] = -1;
  only("", "");
  compare(-1);
  at("search").value = "";
}

async function follow() {
  const link = new URLSearchParams(location.hash.slice(1));
  for (const name of FILTERS) state.filters[name] = link.has(name) ? state.index.values[name].indexOf(link.get(name)) : -1;
  only(link.get("run"), link.get("finding"));
  compare(link.has("with") ? state.index.values.run.indexOf(link.get("with")) : -1);
  at("search").value = link.get("q") || "";
  const id = link.get("id");
  const run = link.get("item_run") ?? link.get("of"); // `of` in links of earlier reports
  await search(at("search").value);
  if (!id) return;
  const variant = link.get("item_variant") || "";
  const right = (item) => fullId(item) === id && (!run || named("run", item) === run) && named("variant", item) === variant;
  let place = state.found.findIndex(right);
  if (place < 0) {
    // a filter hides the linked item
    clear();
    await search("");
    place = state.found.findIndex(right);
  }
  if (place >= 0) choose(place);
}

// Keys and start -----------------------------------------------------------------------------------------------------

const STEPS = { j: 1, k: -1 };
const SCROLLS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }; // they scroll in the item itself

document.addEventListener("keydown", (event) => {
  if (!state.index || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target instanceof Element && event.target.matches("input, select, textarea");
  const step = STEPS[event.key] ?? (at("item").contains(event.target) ? undefined : SCROLLS[event.key]);
  if (event.key === "Escape" || (field && event.target.id === "search" && (event.key === "Enter" || event.key === "ArrowDown"))) {
    at("list").focus();
    event.preventDefault();
  } else if (!field && event.key === "/") {
    at("folded").open = true;
    at("search").focus();
    at("search").select();
    event.preventDefault();
  } else if (!field && step !== undefined) {
    choose(state.place + step);
    event.preventDefault();
  }
});

async function start() {
  await script("index.js");
  at("folded").open = !matchMedia("(max-width: 620px)").matches; // on a phone the list comes first
  for (const name of FILTERS) {
    const select = node("select");
    select.addEventListener("change", () => {
      state.filters[name] = Number(select.value);
      if (name === "run" && state.filters.run === state.other) compare(-1);
      refresh();
    });
    state.selects[name] = select;
    at("filters").append(node("label", { hidden: true }, `${TITLES[name]} `, select));
    if (name !== "run") continue;
    const other = node("select", { id: "with" });
    other.addEventListener("change", () => {
      compare(Number(other.value));
      refresh();
    });
    state.selects.other = other;
    at("filters").append(node("label", { hidden: true }, "Compare with ", other));
  }
  for (let part_ = 0; part_ < state.index.lists; part_ += 1) await script(`list-${String(part_).padStart(5, "0")}.js`);
  let typed = 0;
  at("search").addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => search(at("search").value), 150);
  });
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("clear").addEventListener("click", () => {
    clear();
    search("");
    at("list").focus();
  });
  at("list").addEventListener("scroll", () => requestAnimationFrame(draw));
  addEventListener("resize", draw);
  addEventListener("hashchange", () => {
    if (location.hash !== state.hash) follow();
  });
  if (state.index.sampled_from) document.querySelector("h1").textContent = "Items";
  document.title = `${state.index.sampled_from ? "Items" : "All items"} of ${state.index.values.run.join(", ")}`;
  await follow();
  at("list").focus();
  document.body.dataset.ready = "yes";
}

