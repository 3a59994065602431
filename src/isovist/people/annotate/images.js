"use strict";
// What every page shares: how the pictures and words of a question are laid out, what went wrong, which keys do what. All words
// are text, never markup.

const IMAGE = "<image>";
const at = (id) => document.getElementById(id);

function node(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function fault(words) {
  at("fault").textContent = words;
  at("fault").hidden = !words;
}

// What the keys do, at the foot of the page, as pairs of a key and words.
function keys(pairs) {
  at("keys").replaceChildren(...pairs.map(([key, words]) => node("span", {}, node("kbd", { textContent: key }), ` ${words}`)));
}

// Some of the pictures of a card in one row or grid. A question may speak of "picture 2": where there are several, they are numbered.
function pictures(card, listed) {
  const size = listed.length === 1 ? " one" : listed.length === 2 ? " two" : "";
  const figures = listed.map((picture) => {
    const number = `${card.pictures.indexOf(picture) + 1}`;
    const image = node("img", { src: picture.src, alt: picture.caption || `picture ${number}` });
    const caption = picture.caption || (card.pictures.length > 1 ? number : "");
    return node("figure", {}, image, ...(caption ? [node("figcaption", { textContent: caption })] : []));
  });
  return node("div", { className: `pictures${size}` }, ...figures);
}

function body(card) {
  const words = card.text.split(IMAGE);
  if (words.length - 1 !== card.pictures.length || !card.pictures.length) {
    return [...(card.pictures.length ? [pictures(card, card.pictures)] : []), node("p", { className: "text", textContent: card.text })];
  }
  const parts = [];
  let run = [];
  words.forEach((text, i) => {
    if (i) run.push(card.pictures[i - 1]);
    if (!text.trim()) return;
    if (run.length) parts.push(pictures(card, run));
    run = [];
    parts.push(node("p", { className: "text", textContent: text.trim() }));
  });
  if (run.length) parts.push(pictures(card, run));
  return parts;
}
