// The question about colour vision: asked once, before the first question, where an answer may hang on colours.

function vision() {
  state.busy = true;
  state.go = null;
  const ways = [["1", "normal", "Normal, as far as I know"], ["2", "deficient", "Some colours are hard for me to tell apart (colour blindness)"], ["3", "unstated", "I prefer not to say"]];
  const say = async (answer) => {
    if (!state.choose) return;
    state.choose = null;
    at("main").querySelectorAll("button").forEach((button) => { button.disabled = true; });
    try {
      state.me = await persist("/api/vision", { vision: answer });
      await come(state.me.next);
    } catch (error) {
      await out(error.message);
    }
  };
  const buttons = ways.map(([key, answer, words]) => {
    const button = node("button", { type: "button" }, node("kbd", { textContent: key }), node("span", { textContent: words }));
    button.addEventListener("click", () => say(answer));
    return button;
  });
  state.choose = (key) => ways.filter(([own]) => own === key).forEach(([, answer]) => say(answer));
  const words = "Some questions may depend on colours. Your answer is stored with your other answers. It does not change the questions.";
  at("main").replaceChildren(node("div", { className: "screen", id: "vision" }, node("h1", { textContent: "How is your colour vision?" }), node("p", { className: "paragraph", textContent: words }), node("div", { className: "choices" }, ...buttons)));
  keys([["1 2 3", "answer"]]);
  window.scrollTo(0, 0);
  bar();
}
