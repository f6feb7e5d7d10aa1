// The page as a frame in documentation: what its address asks for, and how it speaks to the page around it.
//
// embed.html?panels=lanes+stack&theme=dark&header=open&readonly&fixed&host=https://docs.example#fragment. Only when the address
// names the host, the origin of the page around it, are messages sent there, and taken from there (ui/embed_js.go).
(() => {
  "use strict";

  const query = new URLSearchParams(location.search);
  const theme = query.get("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  const host = query.get("host");
  const known = host !== null && parent !== window;
  // The page that is known makes the frame as high as its content.
  document.documentElement.dataset.fit = query.has("fixed") ? "frame" : known ? "content" : "scroll";

  /** Pages from files have no origin that could be named. */
  globalThis.warpscopeTell = (message) => {
    if (known) parent.postMessage({ warpscope: 1, ...message }, host === "null" ? "*" : host);
  };
  warpscopeTell({ type: "here" }); // a frame that says nothing is taken for one that could not be loaded
})();
