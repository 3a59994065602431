"use strict";
// How the pictures and words of a question are laid out, on every page that shows one. All words are text, never markup.

const IMAGE = "<image>";

function node(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// The pictures of a question in one row or grid. Each has `src` and `caption`.
function pictures(listed) {
  const size = listed.length === 1 ? " one" : listed.length === 2 ? " two" : "";
  const figures = listed.map((picture, i) => {
    const image = node("img", { src: picture.src, alt: picture.caption || `picture ${i + 1}` });
    return node("figure", {}, image, ...(picture.caption ? [node("figcaption", { textContent: picture.caption })] : []));
  });
  return node("div", { className: `pictures${size}` }, ...figures);
}

function body(card) {
  const words = card.text.split(IMAGE);
  if (words.length - 1 !== card.pictures.length || !card.pictures.length) {
    return [...(card.pictures.length ? [pictures(card.pictures)] : []), node("p", { className: "text", textContent: card.text })];
  }
  const parts = [];
  let run = [];
  words.forEach((text, i) => {
    if (i) run.push(card.pictures[i - 1]);
    if (!text.trim()) return;
    if (run.length) parts.push(pictures(run));
    run = [];
    parts.push(node("p", { className: "text", textContent: text.trim() }));
  });
  if (run.length) parts.push(pictures(run));
  return parts;
}
