// One question at a time, by keyboard, mouse or finger. Words from the server are text, never markup.

const GUARD = 300; // milliseconds in which nobody sees a picture and answers: a key pressed twice, a second click
const AHEAD = 3; // questions fetched beforehand
const ASLEEP = 15000; // milliseconds without a beat of the page's own clock, which comes each second: the machine slept
const LONG = 450; // characters of a question, words to tap counted as some each, that goes beside its pictures where there is room
const TAPPED = 8;
const RETURN = 15; // seconds until the page goes back to the recruiting service

// By finger, a field that is focused would bring up a keyboard over the pictures; people touch it when they are ready.
const finger = matchMedia("(pointer: coarse)").matches;
const focusOn = (field) => { if (!finger) field?.focus({ preventScroll: true }); };

const state = { me: null, question: null, since: null, spent: 0, pauses: 0, paused: false, busy: true, go: null, choose: null };
const ahead = new Map(); // questions by number

function connection(there) {
  if (there === connection.there) return;
  connection.there = there;
  fault(there ? "" : "No connection. Your answers are saved on this device and sent when the connection is back. Keep this page open.");
}
connection.there = true;

function bar() {
  document.querySelector("header").hidden = !state.me;
  if (!state.me) return;
  const done = state.question ? state.question.number : state.me.done;
  const { part, parts, practice } = state.question || {};
  at("title").textContent = state.question ? `Part ${part} of ${parts}${practice ? ", practice" : ""}` : "";
  at("count").textContent = `${done} of ${state.me.total} answered`;
  at("progress").max = state.me.total;
  at("progress").value = done;
  at("pause").hidden = !state.question || state.go !== null;
}

// A screen of words with one thing to do, by Enter or by a click.
function screen(title, words, button, go, ...more) {
  state.busy = true;
  const act = node("button", { type: "button", className: "go", id: "go" }, node("kbd", { textContent: "Enter" }), button);
  state.go = () => { state.go = null; act.disabled = true; go(); };
  act.addEventListener("click", () => state.go?.());
  const paragraphs = words.map((text) => node("p", { className: "paragraph", textContent: text }));
  at("main").replaceChildren(node("div", { className: "screen" }, node("h1", { textContent: title }), ...paragraphs, ...more, node("div", { className: "row" }, act)));
  keys([["Enter", button.toLowerCase()]]);
  window.scrollTo(0, 0);
  act.focus({ preventScroll: true });
  bar();
}

// The way in --------------------------------------------------------------------------------------------------------

async function welcome(words = "") {
  const study = await persist("/api/study");
  state.me = state.question = state.go = null;
  state.busy = true;
  delete at("main").dataset.ready;
  bar();
  const [, title, text] = /^(?:# *([^\n]*)\n)?([^]*)$/.exec(study.text.trim());
  document.title = title || document.title;
  const input = node("input", { id: "code", maxLength: 40, autocomplete: "off", spellcheck: false, placeholder: "XXXX-XXXX-XXXX" });
  const button = node("button", { className: "go", id: "go" }, node("kbd", { textContent: "Enter" }), "I agree. Start");
  const label = study.invited ? "Participant code" : "Participant code (to resume a session)";
  const form = node("form", {}, node("label", { htmlFor: "code", textContent: label }), input, node("div", { className: "row" }, button));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!button.disabled) begin(input.value, button);
  });
  const length = `${study.questions} questions in ${study.parts} ${study.parts === 1 ? "part" : "parts"}, including practice.`;
  at("main").replaceChildren(node("div", { className: "screen" },
    ...(title ? [node("h1", { textContent: title })] : []), ...text.trim().split(/\n{2,}/).map((part) => node("p", { className: "paragraph", textContent: part })),
    node("p", { className: "soft", textContent: length }), form));
  keys([["Enter", "agree and start"]]);
  fault(words);
  focusOn(input);
}

async function begin(typed, button) {
  const code = typed.toUpperCase().replace(/[^0-9A-Z]/g, ""); // whatever dashes a device writes
  if (typed.trim() && !code) return fault("Invalid participant code. Check it for typing errors.");
  button.disabled = true;
  try {
    const begun = await persist("/api/begin", { code, agreed: true, id: serviceId });
    remember(begun.made || code);
    fault("");
    if (!begun.made) return enter();
    screen("Your participant code", [
      "Write it down. You need it to resume the session, on this or another device. It replaces your name and is not stored anywhere. If you lose it, the study administrator can replace it.",
    ], "Continue", enter, node("p", {}, node("span", { className: "code", id: "made", textContent: begun.made })));
  } catch (error) {
    fault(error.message);
    button.disabled = false;
  }
}

// Goes on where the person stopped, after whatever this browser still has to send.
async function enter() {
  try {
    state.me = await persist("/api/me");
    if (!state.me.agreed) return await welcome();
    unsent.open(state.me.handle);
    await unsent.flush();
    state.me = await persist("/api/me");
    ahead.clear();
    if (state.me.vision) vision();
    else await come(state.me.next);
  } catch (error) {
    await out(error.message);
  }
}

// A code as it is written down, however it was typed.
const grouped = (code) => code.replace(/[^0-9A-Z]/g, "").match(/.{1,4}/g).join("-");

function leave() {
  remember("");
  location.reload();
}

async function out(words) {
  remember("");
  if (codes.get(codeName)) location.reload(); // the study was begun again in another tab
  else await welcome(words);
}

// Questions ---------------------------------------------------------------------------------------------------------

async function fetched(number) {
  for (;;) {
    if (ahead.has(number)) return ahead.get(number);
    try {
      const question = await persist(`/api/questions/${number}`);
      ahead.set(number, question);
      return question;
    } catch (error) {
      if (error.status !== 404 || !unsent.entries.length) throw error;
      await unsent.flush(); // too far ahead of what the server has
    }
  }
}

// Fetches the next ones quietly, one after the other, once the server has all answers: it shows nobody what is far from due.
async function prefetch(number) {
  const { total } = state.me;
  await unsent.flush();
  if (state.question?.number !== number - 1) return;
  for (let next = number; next < Math.min(number + AHEAD, total); next += 1) {
    if (ahead.has(next)) continue;
    try {
      ahead.set(next, await ask(`/api/questions/${next}`));
    } catch {
      return;
    }
  }
}

async function come(number) {
  stop();
  state.question = null;
  state.busy = true;
  if (number >= state.me.total) return finished();
  let question;
  try {
    question = await fetched(number);
  } catch (error) {
    return out(error.message);
  }
  for (const old of ahead.keys()) if (old < number) ahead.delete(old);
  state.question = question;
  const kept = browser.get(clock());
  const before = kept?.number === number ? kept : null; // this question was on the screen before the page was loaded again
  state.spent = before ? before.spent : 0;
  state.pauses = before ? before.pauses + 1 : 0;
  if (question.first && !before) opening(question);
  else await show(question);
}

function opening(question) {
  const words = question.practice
    ? ["Practice first. After each answer, the page shows the correct answer. Practice answers are not analysed.", ...(finger ? ["Tap an image to enlarge it."] : [])]
    : ["Test questions. Answer each question as accurately and as quickly as you can. The correct answer is not shown."];
  screen(question.practice || question.number === 0 ? `Part ${question.part} of ${question.parts}` : `Part ${question.part}: test questions`, words, "Start", () => show(question));
}

async function show(question) {
  state.busy = true;
  state.paused = false;
  state.go = null;
  const length = question.text.length + TAPPED * question.fields.flatMap((field) => field.options).length;
  const apart = question.pictures.length && !question.text.includes(IMAGE); // pictures and words are not mixed
  const shown = node("div", { className: `waiting${apart && length > LONG ? " beside" : ""}`, id: "question" }, ...body(question), question.options.length ? choices(question) : fields(question));
  at("main").replaceChildren(shown);
  shown.querySelectorAll(".pictures").forEach((pictures) => pictures.addEventListener("click", larger));
  window.scrollTo(0, 0);
  bar();
  const hints = question.options.length ? [[question.options.map((option) => option.key).join(" "), "answer"]] : [["Enter", "answer"]];
  keys([...hints, ["Space", "enlarge images"], ["Esc", question.options.length ? "pause" : "leave the field, then pause"]]);
  await Promise.all([...shown.querySelectorAll("img")].map((image) => image.decode().catch(() => {})));
  if (state.question !== question || state.paused) return;
  // in a low window the last options would lie below its edge, and be seen later than the first
  if (apart && document.documentElement.scrollHeight > window.innerHeight) shown.classList.add("beside");
  shown.classList.remove("waiting");
  const input = shown.querySelector("input");
  if (input) focusOn(input);
  else document.activeElement?.blur();
  await new Promise((painted) => requestAnimationFrame(painted));
  state.since = performance.now();
  setTimeout(() => {
    if (state.question !== question || state.paused) return;
    state.busy = false;
    at("main").dataset.ready = question.number;
  }, GUARD);
  prefetch(question.number + 1);
}

function larger() {
  document.querySelectorAll(".pictures").forEach((shown) => shown.classList.toggle("large"));
}

function choices(question) {
  const buttons = question.options.map((option) => {
    const button = node("button", { type: "button" }, node("kbd", { textContent: option.key }), node("span", { textContent: option.text }));
    button.dataset.value = option.value;
    button.addEventListener("click", () => answer(option.value));
    return button;
  });
  return node("div", { className: "choices" }, ...buttons);
}

function fields(question) {
  const inputs = question.fields.map((field, i) => node("input", { id: `field-${i}`, autocomplete: "off", spellcheck: false, inputMode: field.numeric ? "decimal" : "text" }));
  const parts = question.fields.flatMap((field, i) => {
    const words = field.options.map(({ value, text }) => {
      const button = node("button", { type: "button", tabIndex: -1, textContent: text });
      button.addEventListener("click", () => {
        const before = field.many ? inputs[i].value.trim().replace(/,$/, "") : "";
        inputs[i].value = before && value !== "none" ? `${before}, ${value}` : value;
        focusOn(inputs[i]);
      });
      return button;
    });
    const label = `${field.name ? `${field.name}: ` : "Write "}${field.hint}`;
    return [node("label", { htmlFor: `field-${i}`, textContent: label }), inputs[i], ...(words.length ? [node("div", { className: "words" }, ...words)] : [])];
  });
  const form = node("form", { className: "answer" }, ...parts, node("button", { className: "go" }, node("kbd", { textContent: "Enter" }), "Answer"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const empty = inputs.find((input) => !input.value.trim());
    if (empty) empty.focus();
    else if (question.fields.length === 1 && !question.fields[0].name) answer(inputs[0].value);
    else answer(Object.fromEntries(question.fields.map((field, i) => [field.name, inputs[i].value])));
  });
  return form;
}

async function answer(value) {
  if (state.busy || state.paused || !state.question) return;
  state.busy = true;
  delete at("main").dataset.ready;
  stop();
  const question = state.question;
  at("main").querySelectorAll("button").forEach((button) => {
    button.disabled = true;
    button.classList.toggle("chosen", button.dataset.value === value);
  });
  const said = unsent.add({ number: question.number, value, seconds: state.spent, pauses: state.pauses });
  try {
    // choices can always be read; what is written is kept on the screen until the server has read it
    if (question.practice || !question.options.length) {
      const stored = await said;
      if (stored.feedback) return feedback(question, stored.feedback);
    } else said.catch((error) => out(error.message));
  } catch (error) {
    if (error.status !== 422) return out(error.message);
    fault(error.message);
    at("main").querySelectorAll("button").forEach((button) => { button.disabled = false; });
    at("main").querySelector("input")?.focus();
    state.since = performance.now();
    state.busy = false;
    at("main").dataset.ready = question.number;
    if (document.hidden) halt();
    return;
  }
  if (connection.there) fault("");
  await come(question.number + 1);
}

function feedback(question, score) {
  fault("");
  const go = node("button", { type: "button", className: "go", id: "go" }, node("kbd", { textContent: "Enter" }), "Continue");
  state.go = () => { state.go = null; come(question.number + 1); };
  go.addEventListener("click", () => state.go?.());
  at("main").querySelectorAll(".choices button").forEach((button) => {
    if (button.dataset.value === score.value) button.classList.add("right");
    else if (button.classList.contains("chosen")) button.classList.add("mistaken");
  });
  const words = score.right ? "Correct." : `Incorrect. The answer is: ${score.key}`;
  bar(); // nothing runs that could be paused
  at("main").append(node("div", { className: score.right ? "feedback" : "feedback wrong", id: "feedback" }, node("p", { textContent: words }), go));
  keys([["Enter", "continue"]]);
  go.focus();
}

async function finished() {
  browser.drop(clock());
  state.me.done = state.me.total;
  if (unsent.entries.length) {
    at("main").replaceChildren(node("div", { className: "screen" }, node("h1", { textContent: "All answered" }), node("p", { textContent: "Sending the last answers. Keep this page open." })));
    keys([]);
  }
  bar();
  await unsent.flush();
  if (unsent.entries.length) return;
  try {
    state.me = await persist("/api/me"); // with the completion code, once all answers are stored
  } catch (error) {
    return out(error.message);
  }
  if (state.me.next < state.me.total) return come(state.me.next); // an answer did not arrive
  const { code = "", url = "" } = state.me.completion || {};
  const words = [`All answers are saved. ${url ? "" : "You can close this page."}`, `Your answers are stored under the first four characters of your code: ${state.me.handle}.`];
  const shown = code ? [node("p", { textContent: "Your completion code for the recruiting service:" }), node("p", {}, node("span", { className: "code", id: "completion", textContent: code }))] : [];
  if (!url) return screen("Thank you", words, "Leave", leave, ...shown);
  const host = url.split(/[/?#]/)[2];
  screen("Thank you", [...words, `This page continues to ${host} in ${RETURN} seconds.`], `Continue to ${host}`, () => location.assign(url), ...shown);
  setTimeout(() => state.go?.(), 1000 * RETURN);
}

// Time and pauses ---------------------------------------------------------------------------------------------------

const clock = () => `isovist-clock-${state.me.handle}`;

// Stops the clock of the question on the screen.
function stop() {
  if (state.since !== null) state.spent += (performance.now() - state.since) / 1000;
  state.since = null;
}

// Puts down how long the question has been on the screen, in case the page is loaded again.
function note() {
  if (!state.question || state.since === null) return;
  const spent = state.spent + (performance.now() - state.since) / 1000;
  browser.set(clock(), { number: state.question.number, spent, pauses: state.pauses });
}

// A machine that is closed hides no tab: the page finds out when it wakes up, and counts up to the last beat.
let beat = performance.now();
function tick() {
  const now = performance.now();
  const asleep = state.since === null ? 0 : now - Math.max(beat, state.since);
  beat = now;
  if (asleep > ASLEEP) {
    state.since += asleep;
    halt();
  } else note();
}

function halt() {
  if (!state.question || state.paused || state.since === null) return;
  note();
  stop();
  state.paused = true;
  state.pauses += 1;
  delete at("main").dataset.ready;
  const question = state.question;
  const typed = [...at("main").querySelectorAll("input")].map((input) => input.value);
  const reveal = node("button", { type: "button", textContent: "Show my code" }); // hidden until requested: other people may see the screen during a pause
  reveal.addEventListener("click", () => reveal.replaceWith(node("span", { className: "code", textContent: grouped(memory.code) })));
  const quit = node("button", { type: "button", textContent: "Leave and remove my code from this device" });
  quit.addEventListener("click", leave);
  screen("Pause", ["The timer is paused and your answers are saved. The question appears again when you continue. You can also close this page and resume later with your code."],
    "Continue", async () => {
      state.paused = false;
      await show(question);
      at("main").querySelectorAll("input").forEach((input, i) => { input.value = typed[i] || ""; });
    });
  at("main").querySelector(".row").append(reveal, quit);
}

at("pause").addEventListener("click", halt);
document.addEventListener("visibilitychange", () => { if (document.hidden) halt(); });
window.addEventListener("pagehide", note);
setInterval(tick, 1000);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const active = document.activeElement?.tagName;
  let doing = null;
  if (event.key === "Enter" && state.go && active !== "BUTTON") doing = () => state.go();
  else if (state.choose && "123".includes(event.key) && !event.repeat) doing = () => state.choose(event.key);
  else if (!state.question || state.go || state.paused) return;
  else if (event.key === "Escape") doing = active === "INPUT" ? () => document.activeElement.blur() : halt;
  else if (active === "INPUT") return;
  else if (event.key === " " && active !== "BUTTON") doing = larger;
  else if (event.key === "Enter" && active !== "BUTTON") doing = () => at("main").querySelector("input")?.focus();
  else {
    const option = state.question.options.find((one) => one.key === event.key.toLowerCase());
    if (option) doing = event.repeat ? () => {} : () => answer(option.value);
  }
  if (!doing) return;
  event.preventDefault();
  doing();
});

if (memory.code) enter();
else welcome();
