"use strict";
// The study so far, for those who run it. The token stands behind the # of the address, which a browser sends nowhere.

const AGAIN = 15000; // milliseconds between two looks

async function ask(path) {
  let reply;
  try {
    reply = await fetch(path, { headers: { "X-Admin": location.hash.slice(1) } });
  } catch {
    throw new Error("No response from the server.");
  }
  const data = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(data.fault || `The server refused this (${reply.status}).`);
  return data;
}

const percent = (share) => (share === null ? "–" : `${Math.round(100 * share)}%`);
const range = (it, write) => `[${write(it.low)}, ${write(it.high)}]`;
const figure = (it, write) => (it === null ? "–" : `${write(it.estimate)} ${range(it, write)}`);
const two = (value) => value.toFixed(2);
const seconds = (value) => (value === null ? "–" : value.toFixed(1));
const middle = (it) => (it === null ? "–" : it.low === null ? seconds(it.estimate) : figure(it, seconds));
const long = (seconds) => {
  const [size, unit] = [[86400, "days"], [3600, "h"], [60, "min"]].find(([size]) => seconds >= 2 * size) || [1, "s"];
  return `${Math.round(seconds / size)} ${unit}`;
};
const when = (at) => (at ? at.slice(0, 16).replace("T", " ") : "–");

// A table of cells that are texts or nodes; `numbers` are the columns on the right.
function table(titles, rows, numbers) {
  const cell = (tag) => (content, i) => node(tag, { className: numbers.includes(i) ? "num" : content instanceof Node && content.tagName === "PROGRESS" ? "bar-cell" : "" }, content);
  const head = node("thead", {}, node("tr", {}, ...titles.map(cell("th"))));
  return node("div", { className: "tablebox", tabIndex: 0, role: "group", ariaLabel: "Table" }, node("table", {}, head, node("tbody", {}, ...rows.map((row) => node("tr", {}, ...row.map(cell("td")))))));
}

function people(data) {
  const services = data.people.some((it) => it.service_id);
  const more = services + Boolean(data.attention_checks);
  const rows = data.people.map((it) => [
    it.handle, ...(services ? [it.service_id || "–"] : []), state(it), ...(data.attention_checks ? [checks(it)] : []), it.vision || "–", node("progress", { ariaLabel: "answered", max: data.items, value: it.done }), String(it.left), `${it.parts} of ${data.parts}`, it.at || "–", percent(it.credit), seconds(it.seconds), when(it.last),
  ]);
  const titles = ["person", ...(services ? ["service id"] : []), "state", ...(data.attention_checks ? ["checks passed"] : []), "colour vision", "progress", "left", "parts", "now at", "right", "seconds", "last answer (UTC)"];
  return table(titles, rows, [4, 5, 7, 8].map((column) => column + more));
}

function checks(it) {
  const words = `${it.checks_passed} of ${it.checks_passed + it.checks_missed}${it.excluded ? ", excluded" : ""}`;
  return node("span", { className: it.excluded ? "stopped" : "", textContent: words });
}

function state(it) {
  return node("span", { className: it.state === "stopped" ? "stopped" : "", textContent: it.state === "stopped" ? `stopped for ${long(it.idle)}` : it.state });
}

// What to know at a glance.
function glance(data) {
  const count = (state) => data.people.filter((it) => it.state === state).length;
  const lines = [
    ["done", count("done")], ["at work", count("at work")], ["stopped", count("stopped")], ["not begun", count("not begun")], ["flagged items", data.odd.length], ...(data.attention_checks ? [["excluded by checks", data.excluded]] : []),
    ["median time for all items", data.whole_seconds === null ? "–" : long(data.whole_seconds)],
  ];
  return node("div", { className: "glance" }, ...lines.map(([words, figure]) => node("div", {}, node("b", { textContent: figure }), node("span", { className: "soft", textContent: words }))));
}

function tasks(data) {
  const rows = data.tasks.map((it) => [
    it.task, String(it.answers), figure(it.credit, percent), it.over_people ? range(it.over_people, percent) : "–", percent(it.chance), figure(it.alpha, two), percent(it.same), middle(it.seconds),
  ]);
  return table(["task", "answers", "right (95 % over items)", "95 % over people", "chance", "alpha (95 %)", "same answer", "seconds (95 %)"], rows, [1, 2, 3, 4, 5, 6, 7]);
}

// Tasks that need normal colour vision, and that others have answered.
function colours(data) {
  return data.tasks.filter((it) => it.colour_vision === "normal" && it.others).map((it) => {
    const who = it.others === 1 ? "1 person has" : `${it.others} people have`;
    return node("p", { className: "soft small", textContent: `${it.task} requires normal colour vision, and ${who} not stated it${it.seen ? `. Accuracy without them: ${figure(it.seen, percent)}` : ""}.` });
  });
}

function odd(data) {
  const rows = data.odd.map((it) => {
    const button = node("button", { type: "button", textContent: "look" });
    button.addEventListener("click", () => look(it));
    return [picture(it), it.item, it.reasons.join("; "), it.key, it.answers.map(([value, count]) => `${value}: ${count}`).join(", "), seconds(it.seconds), button];
  });
  return table(["image", "item", "why", "key", "answers", "seconds", "details"], rows, [5]);
}

const seen = new Map(); // cards of flagged items, by place

function cardOf(it) {
  if (!seen.has(it.place)) seen.set(it.place, ask(`/api/admin/items/${it.place}`).catch((error) => { seen.delete(it.place); throw error; }));
  return seen.get(it.place);
}

// Pictures are long: each is fetched when it comes near the window.
const near = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
  near.unobserve(target);
  target.dispatchEvent(new Event("near"));
}), { rootMargin: "300px" });

// The first picture of an item, small; a click shows all of it.
function picture(it) {
  const image = node("img", { className: "small", alt: "" });
  image.addEventListener("click", () => look(it));
  image.addEventListener("near", () => cardOf(it).then((card) => { if (card.pictures.length) image.src = card.pictures[0].src; }).catch(() => {}));
  near.observe(image);
  return image;
}

async function look(it) {
  try {
    const card = await cardOf(it);
    const counts = new Map(it.answers);
    const options = [
      ...card.options.map((option) => `${option.value}. ${option.text}${counts.has(option.value) ? `: ${counts.get(option.value)} x` : ""}`),
      ...card.fields.map((field) => [field.name, field.hint, field.options.map((option) => option.text).join(" / ")].filter(Boolean).join(": ")),
    ].map((textContent) => node("li", { textContent }));
    const close = node("button", { type: "button", textContent: "close" });
    close.addEventListener("click", () => { at("looked").replaceChildren(); });
    at("looked").replaceChildren(node("div", { className: "looked" }, node("p", { className: "id", textContent: card.id }), ...body(card), node("ul", {}, ...options),
      node("p", { textContent: `Key: ${card.key}` }), close));
    at("looked").scrollIntoView();
    fault("");
  } catch (error) {
    fault(error.message);
  }
}

async function load() {
  try {
    const data = await ask("/api/admin");
    const parts = {
      top: [
        node("h1", { textContent: "Study administration" }),
        node("p", { className: "soft", textContent: `${data.items} items of ${data.parts} tasks, ${data.people.length} ${data.people.length === 1 ? "participant" : "participants"}. Practice items and attention checks are not counted.` }),
        glance(data),
        node("h2", { textContent: "Participants" }), data.people.length ? people(data) : node("p", { textContent: "No participants yet." }),
        node("h2", { textContent: "Tasks" }), tasks(data), ...colours(data),
        node("p", { className: "soft small", textContent: "Right: the mean over items of the mean over people, with its interval for other items; the interval over people is of those who finished the task. Alpha is Krippendorff's, over items with two answers or more: 1 is agreement, 0 what chance gives." }),
        node("h2", { textContent: "Flagged items" }), data.odd.length ? odd(data) : node("p", { textContent: "None. An item needs at least three answers." }),
      ],
    };
    if (!at("top")) at("main").replaceChildren(node("div", { id: "top" }), node("div", { id: "looked" }));
    at("top").replaceChildren(...parts.top);
    fault("");
  } catch (error) {
    fault(error.message);
  }
}

load();
setInterval(load, AGAIN);
window.addEventListener("hashchange", load);
