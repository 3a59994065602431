"use strict";
// One card at a time. Nothing is kept here: every answer goes to the server, and the page goes on when it is stored.

const state = { name: "", card: null, shown: 0, busy: false };

async function ask(path, body) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let reply;
  try {
    reply = await fetch(path, sent);
  } catch {
    throw new Error("Not saved: no response from the server. Restart it; this page continues automatically.");
  }
  const data = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(data.fault || `The server refused this (${reply.status}).`);
  return data;
}

const own = (rest) => `/api/people/${encodeURIComponent(state.name)}${rest}`;

// Runs one thing at a time: a key pressed twice does not answer the next card.
async function once(doing) {
  if (state.busy) return;
  state.busy = true;
  try {
    await doing();
    fault("");
  } catch (error) {
    fault(error.message);
  } finally {
    state.busy = false;
  }
}

function bar(progress) {
  document.querySelector("header").hidden = false;
  at("who").textContent = state.name;
  at("count").textContent = progress ? `${progress.done} of ${progress.total} answered` : "";
  at("progress").max = progress ? progress.total : 1;
  at("progress").value = progress ? progress.done : 0;
}

// The first screen ---------------------------------------------------------------------------------------------------

async function start() {
  const job = await ask("/api/job");
  state.name = "";
  state.card = null;
  at("title").textContent = job.title;
  document.title = job.title;
  bar(null);
  const input = node("input", { id: "name", maxLength: 60, autocomplete: "off" });
  const form = node("form", {}, node("label", { htmlFor: "name", textContent: "Your name" }), input);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) go(input.value.trim());
  });
  const people = job.people.map((person) => {
    const button = node("button", { type: "button" }, person.name, node("span", { className: "soft", textContent: `${person.done} of ${job.total}` }));
    button.addEventListener("click", () => go(person.name));
    return button;
  });
  at("main").replaceChildren(
    node("h1", { textContent: `${job.total} ${job.total === 1 ? "item" : "items"} to annotate` }),
    node("p", { textContent: "Each answer is saved at once. You can stop at any time and resume with the same name." }),
    form,
    ...(people.length ? [node("h3", { textContent: "Resume as" }), node("div", { className: "people" }, ...people)] : []),
  );
  keys([["Enter", "start"], ["Tab", "the next name"]]);
  input.focus();
}

function go(name) {
  location.hash = encodeURIComponent(name);
}

// A card -------------------------------------------------------------------------------------------------------------

// Eight digits without 5 are directions on a numeric keypad, and lie as its keys do; what has another key takes the middle.
function onKeypad(options) {
  return options.length === 9 && [..."12346789"].every((key) => options.some((option) => option.key === key)) && options.every((option) => option.key !== "5");
}

function choices(card) {
  const keypad = onKeypad(card.options);
  const buttons = card.options.map((option) => {
    const button = node("button", { type: "button" }, node("kbd", { textContent: option.key }), node("span", { textContent: option.text }));
    button.classList.toggle("chosen", option.value === card.answer);
    button.addEventListener("click", () => answer(option.value));
    if (keypad) {
      const digit = (Number(option.key) || 5) - 1;
      button.style.gridArea = `${3 - Math.floor(digit / 3)} / ${1 + (digit % 3)}`;
    }
    return button;
  });
  return node("div", { className: keypad ? "choices keypad" : "choices" }, ...buttons);
}

function field(card) {
  const input = node("input", { id: "value", value: card.answer, autocomplete: "off", inputMode: card.field === "number" ? "decimal" : "text" });
  const form = node("form", { className: "field" }, input, node("button", { textContent: "Save" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    answer(input.value);
  });
  const asked = card.hint || (card.field === "number" ? "a number" : "your answer");
  return node("div", {}, node("label", { htmlFor: "value", textContent: `Write ${asked}` }), form);
}

function show(card) {
  state.card = card;
  state.shown = performance.now();
  bar(card);
  const note = node("textarea", { id: "note", value: card.note, maxLength: 4000 });
  const details = card.details.map(([title, text]) => node("details", {}, node("summary", { textContent: title }), node("p", { className: "text", textContent: text })));
  at("main").replaceChildren(
    ...body(card), ...details, card.options.length ? choices(card) : field(card),
    node("label", { htmlFor: "note", textContent: "Note (optional)" }), note,
    node("p", { className: "id", textContent: `${card.place + 1} / ${card.total}   item ${card.number}` }),
  );
  keys([
    [card.options.length ? card.options.map((option) => option.key).join(" ") : "Enter", card.options.length ? "answer" : "save"],
    ["←", "back"], ["→", "forward"], ["Backspace", "withdraw the last answer"], ["Space", "enlarge images"], ["/", "note"], ["Esc", "leave the field, then this name"],
  ]);
  window.scrollTo(0, 0);
  const input = at("value");
  if (input) input.focus({ preventScroll: true });
  else document.activeElement?.blur();
  ahead(card.place + 1);
}

function ahead(place) {
  if (place >= state.card.total) return;
  ask(own(`/cards/${place}`)).then((card) => card.pictures.forEach((picture) => { new Image().src = picture.src; })).catch(() => {});
}

async function card(place) {
  const person = await ask(own(""));
  if (place >= person.total) finished(person);
  else show(await ask(own(`/cards/${Math.max(0, place)}`)));
}

function finished(person) {
  state.card = null;
  bar(person);
  const left = person.total - person.done;
  const parts = [node("h1", { textContent: left ? `${left} left` : "All answered" })];
  if (left) {
    const button = node("button", { type: "button" }, node("kbd", { textContent: "Enter" }), "Go to the first open item");
    button.addEventListener("click", () => once(() => card(person.next)));
    parts.push(node("p", { textContent: "Some items have no answer." }), button);
  } else {
    parts.push(node("p", { textContent: `Thank you. All ${person.total} answers are saved. You can close this page.` }));
  }
  at("main").replaceChildren(...parts);
  keys([["←", "back"], ["Backspace", "withdraw the last answer"], ["Esc", "leave this name"]]);
  (at("main").querySelector("button") || document.activeElement)?.focus();
}

function answer(value) {
  return once(async () => {
    const place = state.card.place;
    await ask(own(`/cards/${place}`), { value, note: at("note").value, seconds: (performance.now() - state.shown) / 1000 });
    await card(place + 1);
  });
}

function takeBack() {
  return once(async () => {
    const { place } = await ask(own("/back"), {});
    await card(place);
  });
}

function forward(steps) {
  return once(async () => {
    const place = state.card ? state.card.place : (await ask(own(""))).total;
    await card(Math.max(0, place + steps));
  });
}

// Keys ---------------------------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (!state.name || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = ["INPUT", "TEXTAREA"].includes(document.activeElement?.tagName);
  const empty = typing && !document.activeElement.value;
  const key = event.key;
  let doing = null;
  if (key === "Escape") doing = typing ? () => document.activeElement.blur() : () => { location.hash = ""; };
  else if (key === "PageUp" || (key === "ArrowLeft" && !typing)) doing = () => forward(-1);
  else if ((key === "PageDown" || (key === "ArrowRight" && !typing)) && state.card) doing = () => forward(1);
  else if (key === "Backspace" && (!typing || (empty && document.activeElement.id === "value"))) doing = event.repeat ? () => {} : takeBack;
  else if (key === "Enter" && document.activeElement?.id === "note" && !event.shiftKey) doing = () => document.activeElement.blur();
  else if (typing || !state.card) return;
  else if (key === " " && document.activeElement?.tagName !== "BUTTON" && document.activeElement?.tagName !== "SUMMARY") doing = () => document.querySelectorAll(".pictures").forEach((shown) => shown.classList.toggle("large"));
  else if (key === "/") doing = () => at("note").focus();
  else if (key === "Enter" && at("value")) doing = () => at("value").focus();
  else {
    const option = state.card.options.find((one) => one.key === key.toLowerCase());
    if (option) doing = event.repeat ? () => {} : () => answer(option.value);
  }
  if (!doing) return;
  event.preventDefault();
  doing();
});

// The name stands in the address, so that the page can be loaded again, and two people may use two windows.
async function load() {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch { /* not one of ours */ }
  await once(async () => {
    if (!name) return start();
    const job = await ask("/api/job");
    at("title").textContent = job.title;
    document.title = job.title;
    state.name = name;
    const person = await ask(own("")).catch((error) => { state.name = ""; throw error; });
    state.name = person.name;
    await card(person.next);
  });
}

window.addEventListener("hashchange", load);
load();
