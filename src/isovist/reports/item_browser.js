"use strict";
// Every item of a report. The data are scripts in items/ that call functions of this page, because a page opened from a disk may
// load scripts but not fetch files. Text from a model is always inserted as text, never as markup.

const ROW = 28; // pixels, as in the style sheet
const SPARE = 12; // rows above and below the visible ones
const MOST = 300; // values that a filter offers
const FILTERS = ["run", "task", "level", "condition", "outcome", "key", "answer", "distractor_type"];
const COLUMNS = [...FILTERS, "variant"];
const TITLES = {
  run: "Model", task: "Task", level: "Level", condition: "Condition", outcome: "Outcome", key: "Key", answer: "Answer", distractor_type: "Distractor type",
};
const STYLED = new Set(["correct", "partial", "incorrect", "request error"]); // all other outcomes have one style
const at = (id) => document.getElementById(id);

const state = {
  index: null, n: 0, columns: Object.fromEntries(COLUMNS.map((name) => [name, []])), ids: [],
  filters: Object.fromEntries(FILTERS.map((name) => [name, -1])), search: "",
  found: [], chosen: -1, texts: new Map(), words: [], loading: new Map(), selects: {}, drawn: -1,
};

// Data ---------------------------------------------------------------------------------------------------------------

window.isovist = {
  index(index) { state.index = index; },
  list(columns) {
    for (const name of COLUMNS) for (const value of columns[name]) state.columns[name].push(value);
    for (const id of columns.ids) state.ids.push(id);
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

// Filters ------------------------------------------------------------------------------------------------------------

function filtered() {
  const active = FILTERS.filter((name) => state.filters[name] >= 0);
  const counts = Object.fromEntries(FILTERS.map((name) => [name, new Map()]));
  const search = state.search.toLowerCase();
  const found = [];
  for (let item = 0; item < state.n; item += 1) {
    if (search && !(state.words[item] || "").includes(search)) continue;
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
    const fixed = name === "run" || name === "task" || name === "level" || name === "condition";
    listed.sort(fixed ? (a, b) => a[0] - b[0] : (a, b) => b[1] - a[1] || a[0] - b[0]);
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
    select.replaceChildren(new Option("all", "-1"), ...options);
    select.value = String(chosen);
    select.classList.toggle("set", chosen >= 0);
    select.parentElement.hidden = values.length < 2 && chosen < 0;
  }
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
  const noun = state.index.values.condition.length > 1 ? "trials" : "items";
  const of = state.n === 1 ? "1 item" : `${state.n.toLocaleString("en")} ${noun}`;
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

function draw() {
  const list = at("list");
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - SPARE);
  const last = Math.min(state.found.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + SPARE);
  const several = state.index.values.run.length > 1;
  const hasVariants = state.index.values.condition.length > 1;
  const rows = [];
  for (let place = first; place < last; place += 1) {
    const item = state.found[place];
    const outcome = named("outcome", item);
    const answer = state.columns.answer[item] < 0 ? "-" : named("answer", item);
    const row = node("div", { className: `row${several ? " runs" : ""}${hasVariants ? " variants" : ""}`, id: `row-${place}` });
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(item === state.chosen));
    row.setAttribute("aria-posinset", String(place + 1));
    row.setAttribute("aria-setsize", String(state.found.length));
    row.style.top = `${place * ROW}px`;
    row.append(node("span", { className: `outcome ${outcomeClass(outcome)}`, textContent: outcome }));
    if (several) row.append(node("span", { className: "run", textContent: named("run", item) }));
    const task = named("task", item);
    const number = /:([0-9]+)(#|$)/.exec(state.ids[item]);
    row.append(node("span", { textContent: `${number ? number[1] : state.ids[item]} ${task.slice(task.indexOf("/") + 1)}`, title: fullId(item) }));
    if (hasVariants) row.append(node("span", { textContent: named("condition", item), title: "Condition" }));
    row.append(node("span", { textContent: visible(named("key", item)), title: "Key" }));
    row.append(node("span", { textContent: `→ ${visible(answer)}`, title: "Answer" }));
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
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  draw();
  list.setAttribute("aria-activedescendant", state.chosen < 0 ? "" : `row-${state.place}`);
  remember();
  show().catch((error) => at("item").replaceChildren(node("p", { textContent: error.message })));
}

// One item -----------------------------------------------------------------------------------------------------------

const part = (title, ...children) => [node("h2", { textContent: title }), ...children];
const block = (words) => node("pre", { textContent: visible(words), dir: "auto" });

async function show() {
  const item = state.chosen;
  if (item < 0) {
    at("item").replaceChildren(node("p", { textContent: "No items match. Remove a filter." }));
    return;
  }
  const text = await textOf(item);
  if (item !== state.chosen) return; // another item was chosen meanwhile
  const outcome = named("outcome", item);
  const images = node("div", { className: "images" });
  text.images.forEach((name, place) => {
    const image = node("img", { src: `items/images/${name}`, alt: `Image ${place + 1} of the item`, loading: "lazy" });
    image.addEventListener("click", () => image.classList.toggle("large"));
    images.append(image);
  });
  const score = node("p", {}, node("span", { className: `tag ${outcomeClass(outcome)}`, textContent: outcome }));
  score.append(outcome === "partial" ? `, ${(100 * text.credit).toFixed(1)}% credit` : "", "; key ", node("b", { textContent: visible(text.key), dir: "auto" }));
  score.append(text.parsed_answer === null ? ", no parsed answer" : ", parsed answer ");
  if (text.parsed_answer !== null) score.append(node("b", { textContent: visible(text.parsed_answer), dir: "auto" }));
  if (state.columns.distractor_type[item] >= 0) score.append(`, distractor type: ${named("distractor_type", item)}`);
  const options = node("ul");
  text.options.forEach((words, place) => {
    const letter = String.fromCharCode(65 + place);
    const notes = [letter === text.key ? "key" : "", letter === text.parsed_answer ? "chosen" : ""].filter(Boolean).join(", ");
    options.append(node("li", { className: letter === text.key ? "key" : "", textContent: `${letter}. ${visible(words)}${notes ? `  (${notes})` : ""}` }));
  });
  const children = [
    node("h1", { textContent: named("task", item) }),
    node("p", { className: "id", textContent: fullId(item) }),
    node("p", { textContent: `${named("run", item)}, level ${named("level", item)}${text.variant ? `, variant: ${text.variant}` : ""}` }),
    score,
    images,
    ...part("Prompt", block(text.prompt)),
    ...(text.options.length ? part("Options", options) : []),
    ...part("Response", block(text.response || "(empty response)")),
  ];
  if (text.request_error) children.push(...part("Request error", block(text.request_error)));
  if (text.reasoning) children.push(node("details", {}, node("summary", { textContent: "Reasoning" }), block(text.reasoning)));
  if (text.captions.length) children.push(node("details", {}, node("summary", { textContent: "Image descriptions" }), ...text.captions.map(block)));
  at("item").replaceChildren(...children);
  at("item").scrollTop = 0;
}

// Links --------------------------------------------------------------------------------------------------------------

function remember() {
  const link = new URLSearchParams();
  for (const name of FILTERS) if (state.filters[name] >= 0) link.set(name, state.index.values[name][state.filters[name]]);
  if (state.search) link.set("q", state.search);
  if (state.chosen >= 0) {
    link.set("id", fullId(state.chosen));
    if (state.index.values.run.length > 1) link.set("item_run", named("run", state.chosen));
    if (named("variant", state.chosen)) link.set("item_variant", named("variant", state.chosen));
  }
  state.hash = `#${link}`;
  history.replaceState(null, "", state.hash);
}

async function follow() {
  const link = new URLSearchParams(location.hash.slice(1));
  for (const name of FILTERS) state.filters[name] = link.has(name) ? state.index.values[name].indexOf(link.get(name)) : -1;
  at("search").value = link.get("q") || "";
  const id = link.get("id");
  const run = link.get("item_run");
  await search(at("search").value);
  if (!id) return;
  const variant = link.get("item_variant") || "";
  const right = (item) => fullId(item) === id && (!run || named("run", item) === run) && named("variant", item) === variant;
  let place = state.found.findIndex(right);
  if (place < 0) {
    // a filter hides the linked item: clear the filters
    for (const name of FILTERS) state.filters[name] = -1;
    at("search").value = "";
    await search("");
    place = state.found.findIndex(right);
  }
  if (place >= 0) choose(place);
}

// Keys and start -----------------------------------------------------------------------------------------------------

const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (event) => {
  if (!state.index || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key === "Escape" || (field && event.target.id === "search" && (event.key === "Enter" || event.key === "ArrowDown"))) {
    at("list").focus();
    event.preventDefault();
  } else if (!field && event.key === "/") {
    at("search").focus();
    at("search").select();
    event.preventDefault();
  } else if (!field && event.key in STEPS) {
    choose(state.place + STEPS[event.key]);
    event.preventDefault();
  }
});

async function start() {
  await script("index.js");
  for (const name of FILTERS) {
    const select = node("select");
    select.addEventListener("change", () => {
      state.filters[name] = Number(select.value);
      refresh();
    });
    state.selects[name] = select;
    at("filters").insertBefore(node("label", { hidden: true }, `${TITLES[name]} `, select), null);
  }
  for (let part_ = 0; part_ < state.index.lists; part_ += 1) await script(`list-${String(part_).padStart(5, "0")}.js`);
  let typed = 0;
  at("search").addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => search(at("search").value), 150);
  });
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("clear").addEventListener("click", () => {
    for (const name of FILTERS) state.filters[name] = -1;
    at("search").value = "";
    search("");
    at("list").focus();
  });
  at("list").addEventListener("scroll", () => requestAnimationFrame(draw));
  addEventListener("resize", draw);
  addEventListener("hashchange", () => {
    if (location.hash !== state.hash) follow();
  });
  document.title = `All items of ${state.index.values.run.join(", ")}`;
  await follow();
  at("list").focus();
  document.body.dataset.ready = "yes";
}

start().catch((error) => at("item").replaceChildren(node("p", { textContent: error.message })));
