// One item: its question, and the response of one run or of two side by side.

const part = (heading, ...children) => [node("h3", { textContent: heading }), ...children];
const block = (words) => node("pre", { textContent: visible(words), dir: "auto" });
const folded = (heading, ...children) => node("details", {}, node("summary", { textContent: heading }), ...children);
const bold = (words) => node("b", { textContent: visible(words), dir: "auto" });

// A response with the text from which the answer was parsed in <mark>; `visible` keeps positions.
function response(text) {
  const words = visible(text.response || "(empty response)");
  const block = node("pre", { dir: "auto" });
  let end = 0;
  for (const [from, to] of text.marks) {
    block.append(words.slice(end, from), node("mark", { textContent: words.slice(from, to) }));
    end = to;
  }
  block.append(words.slice(end));
  return block;
}

function thumbnail(item) {
  const image = state.images[item];
  return image ? node("img", { src: `items/images/${image}`, alt: "", decoding: "sync" }) : "";
}

function images(text) {
  return node("div", { className: "images" }, ...text.images.map((name, place) => {
    const words = `Image ${place + 1} of ${text.images.length}`;
    const button = node("button", { type: "button", ariaPressed: "false", ariaLabel: `${words}: enlarge` }, node("img", { src: `items/images/${name}`, alt: words, loading: "lazy" }));
    button.addEventListener("click", () => { button.ariaPressed = String(button.ariaPressed !== "true"); });
    return button;
  }));
}

// `chosen`: the options by the names of those who chose them.
function options(text, chosen) {
  return node("ul", {}, ...text.options.map((words, place) => {
    const letter = String.fromCharCode(65 + place);
    const notes = [letter === text.key ? "key" : "", ...chosen.filter(([answer]) => answer === letter).map(([, name]) => name)].filter(Boolean).join(", ");
    const isWrong = letter !== text.key && chosen.some(([answer]) => answer === letter);
    return node("li", { className: letter === text.key ? "key" : isWrong ? "wrong" : "", textContent: `${letter}. ${visible(words)}${notes ? `  (${notes})` : ""}` });
  }));
}

// `first`: what stands above the prompt.
function question(text, chosen, ...first) {
  const shown = [...(text.images.length ? [images(text)] : []), ...(text.options.length ? part("Options", options(text, chosen)) : [])];
  return node("div", { className: "asked" }, ...(shown.length ? [node("div", {}, ...shown)] : []), node("div", {}, ...first, ...part("Prompt", block(text.prompt))));
}

function outcomeOf(item, text, heading) {
  const outcome = named("outcome", item);
  const score = node("p", {}, node("span", { className: `tag ${outcomeClass(outcome)}`, textContent: outcome }));
  if (outcome === "partial") score.append(`, ${(100 * text.credit).toFixed(1)}% credit`);
  score.append("; key ", bold(text.key), ...(text.parsed_answer === null ? [", no parsed answer"] : [", parsed answer ", bold(text.parsed_answer)]));
  if (state.columns.distractor_type[item] >= 0) score.append(`, distractor type: ${named("distractor_type", item)}`);
  const parts = [node("h3", { textContent: heading }), score, response(text)];
  if (text.marks.length) parts.push(node("p", { className: "note", textContent: "Marked: the text from which the answer was parsed." }));
  if (text.request_error) parts.push(...part("Request error", block(text.request_error)));
  if (text.reasoning) parts.push(folded("Reasoning", block(text.reasoning)));
  if (text.captions.length) parts.push(folded("Image descriptions", ...text.captions.map(block)));
  return node("section", {}, ...parts);
}

function steps() {
  const [back, on] = [["← Previous", -1], ["Next →", 1]].map(([words, by]) => {
    const button = node("button", { type: "button", id: by < 0 ? "previous" : "next", textContent: words, disabled: !(state.place + by in state.found) });
    button.addEventListener("click", () => {
      choose(state.place + by).then(() => at(button.id)?.focus());
    });
    return button;
  });
  return node("div", { className: "steps" }, back, on, `${(state.place + 1).toLocaleString("en")} of ${state.found.length.toLocaleString("en")}`);
}

async function show() {
  const item = state.chosen;
  if (item < 0) {
    at("item").replaceChildren(node("p", { textContent: "No items match. Remove a filter." }));
    return;
  }
  const other = state.other < 0 ? -1 : twin(item, state.other);
  const [text, otherText] = await Promise.all([textOf(item), other < 0 ? null : textOf(other)]);
  if (item !== state.chosen || other !== (state.other < 0 ? -1 : twin(item, state.other))) return; // another item was chosen meanwhile
  const run = visible(named("run", item));
  const chosen = state.other < 0 ? [[text.parsed_answer, "chosen"]] : [[text.parsed_answer, run], [otherText?.parsed_answer, visible(state.index.values.run[state.other])]];
  const results = [outcomeOf(item, text, state.other < 0 ? `Response of ${run}` : run)];
  if (state.other >= 0) {
    const name = visible(state.index.values.run[state.other]);
    results.push(otherText ? outcomeOf(other, otherText, name) : node("section", {}, node("h3", { textContent: name }), node("p", { textContent: "This run does not have the item." })));
    const same = (it) => JSON.stringify([it.prompt, it.options, it.images, it.key]);
    if (otherText && same(text) !== same(otherText)) results[1].append(folded(`Prompt or images differ. Those of ${name}`, question(otherText, chosen.slice(1))));
  }
  const task = named("task", item);
  at("item").replaceChildren(
    steps(),
    node("h2", { textContent: title(task) }),
    node("p", { textContent: state.index.summaries[task] ?? "" }),
    node("p", { className: "id", textContent: fullId(item) }),
    node("p", { className: "quiet", textContent: `Task ${task}, level ${named("level", item)}${text.variant ? `, variant: ${text.variant}` : ""}` }),
    ...(state.other < 0
      ? [question(text, chosen, node("div", { className: "results" }, ...results))]
      : [question(text, chosen), node("div", { className: "results two" }, ...results)]),
  );
  at("item").scrollTop = 0;
}

start().catch((error) => at("item").replaceChildren(node("p", { textContent: error.message })));
