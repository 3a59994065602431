"use strict";
// Tables of a report: a heading sorts, a text field filters long tables, and buttons copy the visible rows as CSV or LaTeX;
// a shadow shows that a table or figure goes on to the right.
const LONG = 12;

function element(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

function numeric(cell) {
  if (cell.dataset.value !== undefined) return cell.dataset.value === "" ? null : Number(cell.dataset.value);
  const found = cell.textContent.replaceAll(",", "").replaceAll("\u2212", "-").match(/^[^\d-]{0,2}(-?\d+(\.\d+)?)/);
  return found ? Number(found[1]) : null;
}

function sortable(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const first = [...body.rows];
  heads.forEach((head, column) => {
    const button = element("button", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const isNumeric = head.classList.contains("num");
      const before = head.getAttribute("aria-sort");
      const rising = before ? before === "descending" : !isNumeric || head.textContent.trim() === "Rank";
      const sign = rising ? 1 : -1;
      const compare = (a, b) => {
        if (!isNumeric) return a.cells[column].textContent.localeCompare(b.cells[column].textContent, "en", { numeric: true }) * sign;
        const [left, right] = [numeric(a.cells[column]), numeric(b.cells[column])];
        return left === null || right === null ? (left === null) - (right === null) : (left - right) * sign;
      };
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      body.append(...[...first].sort(compare));
    });
  });
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
  if (table.tBodies[0].rows.length > LONG) {
    const field = element("input", { type: "search", placeholder: "Filter rows", ariaLabel: "Filter rows" });
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    bar.append(field);
  }
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
  sortable(table);
  tools(table);
}
