// The one file: shows the page of the site that the address names, warpscope.html?page=lessons/index.html, or else the
// playground. All files of the site are inside; what a page would load is taken from there.
(() => {
  "use strict";

  const bytes = (base64) => Uint8Array.fromBase64 ? Uint8Array.fromBase64(base64)
    : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const content = (id) => document.getElementById(id).textContent;

  const engine = content("onefile-engine");
  const files = JSON.parse(new TextDecoder().decode(unpacked(bytes(content("onefile-site")))));
  const wanted = new URLSearchParams(location.search).get("page");
  const name = Object.hasOwn(files, wanted) && /\.html$/.test(wanted) ? wanted : "index.html";

  // ---- names: links in pages are relative to a place that is not there -------------------------------------------

  const root = "https://site.invalid/";

  /** The file that an address in this page means, with query and fragment; null when it is none of the site's. */
  function meant(address) {
    const url = new URL(address, root + name);
    const file = url.pathname.slice(1).replace(/(^|\/)$/, "$1index.html");
    return url.href.startsWith(root) && Object.hasOwn(files, file) ? { file, more: url.search.replace("?", "&") + url.hash } : null;
  }

  const types = { svg: "image/svg+xml", png: "image/png" };

  /** The address of a picture. */
  function picture(file) {
    const type = types[file.split(".").pop()];
    return `data:${type};base64,${type === types.svg ? btoa(files[file]) : files[file]}`;
  }

  globalThis.fetch = async (address) => {
    if (address === "warpscope.wasm.lzma") return new Response(bytes(engine));
    const found = meant(address);
    return found ? new Response(files[found.file]) : new Response("", { status: 404 });
  };

  /** Makes a link to a page of the site lead to this file. */
  function lead(link) {
    const address = link.getAttribute("href");
    const found = address && !/^[?#]/.test(address) && meant(address);
    if (found && /\.html$/.test(found.file)) link.setAttribute("href", `?page=${found.file}${found.more}`);
  }

  // ---- the page ---------------------------------------------------------------------------------------------------

  function append(parent, tag, properties) {
    const element = Object.assign(document.createElement(tag), properties);
    parent.append(element);
    return element;
  }

  function show(page) {
    for (const { name: attribute, value } of page.documentElement.attributes) {
      document.documentElement.setAttribute(attribute, value);
    }
    document.title = page.title;
    for (const link of page.querySelectorAll("link[href]")) {
      const found = meant(link.getAttribute("href"));
      if (!found) continue;
      if (link.rel === "stylesheet") append(document.head, "style", { textContent: files[found.file] });
      if (link.rel === "icon") append(document.head, "link", { rel: "icon", href: picture(found.file) });
    }
    for (const image of page.querySelectorAll("img[src]")) {
      const found = meant(image.getAttribute("src"));
      if (found) image.src = picture(found.file);
    }
    for (const link of page.querySelectorAll("a[href]")) lead(link);
    const scripts = [...page.querySelectorAll("script[src]")];
    for (const script of scripts) script.remove();
    document.body.className = page.body.className;
    document.body.replaceChildren(...page.body.childNodes);
    return scripts;
  }

  const scripts = show(new DOMParser().parseFromString(files[name], "text/html"));

  // Links that are made later are led here when they are followed.
  for (const kind of ["click", "auxclick"]) {
    document.addEventListener(kind, (event) => {
      const link = event.composedPath().find((element) => element instanceof HTMLAnchorElement);
      if (link) lead(link);
    });
  }

  for (const script of scripts) {
    const found = meant(script.getAttribute("src"));
    if (!found) continue;
    const running = document.createElement("script");
    Object.assign(running.dataset, script.dataset);
    // embed.js: the frames of programs, and the playground that they open in, are this file as well.
    Object.assign(running.dataset, { frame: "?page=embed.html", playground: "?page=index.html" });
    running.textContent = files[found.file];
    document.head.append(running);
  }
})();
