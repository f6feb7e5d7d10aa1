// In the one file, fetch answers from the page: there is nobody else to ask.
(() => {
  "use strict";

  const texts = JSON.parse(document.getElementById("onefile-texts").textContent);
  const engine = document.getElementById("onefile-engine");

  const bytes = (base64) => Uint8Array.fromBase64 ? Uint8Array.fromBase64(base64)
    : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

  globalThis.fetch = async (name) => {
    if (name === "warpscope.wasm.lzma") return new Response(bytes(engine.textContent));
    if (Object.hasOwn(texts, name)) return new Response(texts[name]);
    return new Response("", { status: 404 });
  };
})();
