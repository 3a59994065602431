"use strict";
// Tables of a report: a heading sorts, a text field filters long tables, and buttons copy the visible rows as CSV or LaTeX;
// the URL holds the order and the filter, and a shadow shows that a table or figure goes on to the right.
const LONG = 12;

function element(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

function numeric(cell) {
  if (cell.dataset.value !== undefined) return cell.dataset.value === "" ? null : Number(cell.dataset.value);
  const found = cell.textContent.replaceAll(",", "").replaceAll("\u2212", "-").match(/^[^\d-]{0,2}(-?\d+(\.\d+)?)/);
  return found ? Number(found[1]) : null;
}

// The changed tables are in the address, the last changed one last: #table=accuracy&sort=Chance&order=descending&q=letter
const views = new Map();
const changed = new Set();

// A table with the state {sort, order, q}, all "" for the table as written. `show` returns whether the table has such a column and field.
function view(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const first = [...body.rows];
  const titles = heads.map((head) => head.textContent.trim());
  const names = titles.map((title, place) => title + (titles.indexOf(title) < place ? ` ${titles.slice(0, place + 1).filter((it) => it === title).length}` : ""));
  const field = first.length > LONG ? element("input", { type: "search", placeholder: "Filter rows", ariaLabel: "Filter rows" }) : null;
  const state = { sort: "", order: "", q: "" };

  function show(next) {
    Object.assign(state, { sort: "", order: "", q: "" }, next);
    const column = names.indexOf(state.sort);
    const sign = state.order === "ascending" ? 1 : -1;
    const compare = (a, b) => {
      if (!heads[column].classList.contains("num")) return a.cells[column].textContent.localeCompare(b.cells[column].textContent, "en", { numeric: true }) * sign;
      const [left, right] = [numeric(a.cells[column]), numeric(b.cells[column])];
      return left === null || right === null ? (left === null) - (right === null) : (left - right) * sign;
    };
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    if (column >= 0) heads[column].setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    body.append(...(column < 0 ? first : [...first].sort(compare)));
    if (field && field.value !== state.q) field.value = state.q;
    for (const row of first) row.hidden = !!field && !row.textContent.toLowerCase().includes(state.q.toLowerCase());
  }

  const name = table.dataset.name;
  heads.forEach((head, column) => {
    const button = element("button", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const rising = before ? before === "descending" : !head.classList.contains("num") || titles[column] === "Rank";
      show({ ...state, sort: names[column], order: rising ? "ascending" : "descending" });
      remember(name, false);
    });
  });
  if (field) {
    field.addEventListener("input", () => {
      show({ ...state, q: field.value });
      remember(name, true);
    });
  }
  views.set(name, { table, field, state, show });
}

// `typing`: the letters of one filter are one step back in the history.
function remember(name, typing) {
  const { state } = views.get(name);
  changed.delete(name);
  if (state.sort || state.q) changed.add(name);
  const link = new URLSearchParams();
  for (const table of changed) {
    link.append("table", table);
    for (const [key, value] of Object.entries(views.get(table).state)) if (value) link.append(key, value);
  }
  const entry = { typing: typing ? name : "" };
  history[typing && history.state?.typing === name ? "replaceState" : "pushState"](entry, "", changed.size ? `#${link}` : location.pathname + location.search);
}

// Show what the address names: tables with their state, or a place; in a closed part, that part is opened.
function follow(block) {
  let place = null;
  if (!location.hash || location.hash.startsWith("#table=")) {
    const groups = new Map();
    let last = "";
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
      if (key === "table") groups.set((last = value), {});
      else groups.get(last)[key] = value;
    }
    changed.clear();
    for (const name of groups.keys()) if (views.has(name)) changed.add(name);
    for (const [name, { show }] of views) show(groups.get(name) ?? {});
    place = views.get(last)?.table.closest(".scroll").previousElementSibling;
  } else {
    place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  }
  if (!place) return;
  for (let part = place.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  place.scrollIntoView({ block });
}

function texts(table) {
  const rows = [table.tHead.rows[0], ...table.tBodies[0].rows].filter((row) => !row.hidden);
  return rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " ")));
}

function csv(rows) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

const SPECIAL = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };

function latex(rows) {
  const cell = (text) => text.replace(/[\\~^&%$#_{}]/g, (sign) => SPECIAL[sign] ?? `\\${sign}`);
  const lines = rows.map((row) => `${row.map(cell).join(" & ")} \\\\`);
  return ["\\begin{tabular}{" + "l".repeat(rows[0].length) + "}", "\\toprule", lines[0], "\\midrule", ...lines.slice(1), "\\bottomrule", "\\end{tabular}", ""].join("\n");
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // pages opened as files may have no clipboard
    const area = element("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1500);
}

function tools(table) {
  const bar = element("div", { className: "table-tools screen" });
  const { field } = views.get(table.dataset.name);
  if (field) bar.append(field);
  for (const [label, format] of [["Copy CSV", csv], ["Copy LaTeX", latex]]) {
    const button = element("button", { type: "button", textContent: label });
    button.addEventListener("click", () => copy(format(texts(table)), button));
    bar.append(button);
  }
  table.closest(".scroll").before(bar);
}

// A shadow on the right of a box that has more content there.
function shaded(box) {
  const draw = () => box.classList.toggle("cut", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
  box.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(box);
}

document.querySelectorAll(".scroll").forEach(shaded);
for (const table of document.querySelectorAll("table.data")) {
  view(table);
  tools(table);
}
follow("start");
addEventListener("hashchange", () => follow("nearest"));
