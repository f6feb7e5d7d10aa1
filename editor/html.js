// Parts of the page that the engine writes as HTML. A part that is written anew is parsed, styled, laid out and painted as
// new, and loses the focus, so only what differs is changed.
import morphdom from "morphdom";

/** Gives an element a piece of HTML as its content. Of what is there, what is the same stays. */
export function writeHTML(host, html) {
  if (!host.firstChild) {
    host.innerHTML = html;
    return;
  }
  const next = host.cloneNode(false);
  next.innerHTML = html;
  morphdom(host, next, { childrenOnly: true, onBeforeElUpdated });
}

/** Gives the child at a place of an element a piece of HTML, itself included. */
export function writeRow(host, at, html) {
  const next = host.cloneNode(false);
  next.innerHTML = html;
  morphdom(host.children[at], next.firstChild, { onBeforeElUpdated });
}

/** Says whether an element differs. Its own style stays: a piece of HTML has none. */
function onBeforeElUpdated(from, to) {
  if (from.hasAttribute("style")) to.style.cssText = from.style.cssText;
  return !from.isEqualNode(to);
}
