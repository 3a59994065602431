"use strict";
// Tables that are sorted by pressing a heading: numbers from the highest, words by the alphabet; what is lacking stands last.
for (const table of document.querySelectorAll("table.sorted")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const first = [...body.rows];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const value = (row) => row.cells[column].dataset.value;
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const words = first.every((row) => value(row) === undefined);
      const low = words || head.textContent.trim() === "Place";
      const rising = before ? before === "descending" : low;
      const compare = (a, b) => {
        if (words) return a.cells[column].textContent.localeCompare(b.cells[column].textContent) * (rising ? 1 : -1);
        if (!value(a) || !value(b)) return (value(a) ? 0 : 1) - (value(b) ? 0 : 1);
        return (Number(value(a)) - Number(value(b))) * (rising ? 1 : -1);
      };
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      body.append(...[...first].sort(compare));
    });
  });
}
