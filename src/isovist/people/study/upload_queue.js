"use strict";
// What goes to the server, and what waits for it: an answer stays in this browser until the server has stored it.

const RETRY = 1500; // milliseconds between two tries
const PATIENCE = { GET: 60000, POST: 20000 }; // milliseconds after which a request counts as lost; pictures are long

// What outlives the page: until the tab is closed, or until it is taken away. A browser that keeps nothing still works.
function keeper(storage) {
  const quietly = (work) => { try { return work(storage()); } catch { return null; } };
  return {
    get: (name) => quietly((held) => JSON.parse(held.getItem(name))),
    set: (name, value) => quietly((held) => held.setItem(name, JSON.stringify(value))),
    drop: (name) => quietly((held) => held.removeItem(name)),
    names: (start) => quietly((held) => Object.keys(held).filter((name) => name.startsWith(start))) || [],
  };
}

const tab = keeper(() => sessionStorage);
const browser = keeper(() => localStorage);

// The participant id of a recruiting service, from the address: Prolific, Mechanical Turk, CloudResearch Connect, SONA. Who comes from a
// service keeps the code in this browser, so that its link can be opened again.
const SERVICE_IDS = ["PROLIFIC_PID", "workerId", "participantId", "survey_code"];
const serviceId = SERVICE_IDS.map((name) => new URLSearchParams(location.search).get(name)).find(Boolean) || "";
const codes = serviceId ? browser : tab;
const codeName = serviceId ? `isovist-code-${serviceId}` : "isovist-code";
const memory = { code: codes.get(codeName) || "" };

function remember(code) {
  if (code) codes.set(codeName, code);
  else if (codes.get(codeName) === memory.code) codes.drop(codeName); // another tab may have a newer one
  memory.code = code;
}

// What the server says. An error has `lost` if the server did not get to say anything, else its `status`.
async function ask(path, body) {
  const headers = memory.code ? { "X-Code": memory.code } : {};
  const sent = { method: "GET", headers };
  if (body !== undefined) Object.assign(sent, { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) });
  let reply, data;
  try {
    reply = await fetch(path, { ...sent, signal: AbortSignal.timeout(PATIENCE[sent.method]) });
    data = await reply.json();
  } catch {
    throw Object.assign(new Error("No connection."), { lost: true });
  }
  if (reply.ok) return data;
  throw Object.assign(new Error(data.fault || `The server refused this (${reply.status}).`), { status: reply.status, lost: reply.status >= 500 });
}

const pause = (milliseconds) => new Promise((done) => {
  const timer = setTimeout(done, milliseconds);
  window.addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
});

// Asks until the server is there; `connection` gets whether it is.
async function persist(path, body) {
  for (;;) {
    try {
      const data = await ask(path, body);
      connection(true);
      return data;
    } catch (error) {
      if (!error.lost) throw error;
      connection(false);
      await pause(RETRY);
    }
  }
}

// Answers on their way, oldest first. They outlive the page, and are sent again until the server has them; it takes each one once.
const unsent = {
  handle: "",
  entries: [],
  waiting: new Map(), // by number: those who want to know what the server says
  sending: null,

  open(handle) {
    this.handle = handle;
    this.entries = browser.names(this.place("")).map((name) => browser.get(name)).filter(Boolean).sort((a, b) => a.number - b.number);
  },
  // Each answer stands under a name of its own, so that two tabs do not write over each other's.
  place(number) {
    return `isovist-unsent-${this.handle}-${number}`;
  },
  // Takes an answer; the promise holds what the server says to it.
  add(entry) {
    this.entries.push(entry);
    browser.set(this.place(entry.number), entry);
    const said = new Promise((resolve, reject) => this.waiting.set(entry.number, { resolve, reject }));
    this.flush();
    return said;
  },
  // Sends all there is; the promise ends when nothing is left.
  flush() {
    this.sending ??= this.send().finally(() => { this.sending = null; });
    return this.sending;
  },
  async send() {
    while (this.entries.length) {
      const { number, ...body } = this.entries[0];
      const waiting = this.waiting.get(number);
      try {
        const data = await persist(`/api/questions/${number}`, body);
        this.drop();
        waiting?.resolve(data);
      } catch (error) {
        if (error.status === 403) { // nobody's code by now: the answers stay here
          waiting?.reject(error);
          return;
        }
        this.drop();
        waiting?.reject(error);
      }
      this.waiting.delete(number);
    }
  },
  drop() {
    browser.drop(this.place(this.entries.shift().number));
  },
};
