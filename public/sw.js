// The service worker: after one visit the whole site works without a network, and no page ever mixes two versions.
//
// precache.js, made by build.sh, names every file with its hash. A version is a cache of its own. It is filled, and
// every file checked, before it may be used; it is used when the reader asks for it (offline.js) or when no page of an
// older version is left. Pages that are open while that happens keep the version that they began with.
//
// The engine is kept unpacked under its packed name, with a header that says so to boot.js: a page compiles it while it
// is read, and browsers can keep the machine code.
"use strict";

importScripts("precache.js", "unpack.js");

const { version, files } = self.precache;
const scope = new URL("./", location.href).href;
/** Caches belong to the whole origin, which may hold several copies of this site. */
const prefix = `warpscope ${new URL(scope).pathname} `;
/** Of the file as the site has it. */
const hashHeader = "x-warpscope-sha256";
const unpackedHeader = "x-warpscope-unpacked";

// ---- filling a cache ------------------------------------------------------------------------------------------------

async function sha256(body) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** The file as the site has it. What the page has just loaded comes from the browser's own cache, if it is right. */
async function download(name) {
  for (const cache of ["default", "reload"]) {
    const response = await fetch(scope + name, { cache });
    if (!response.ok) throw new Error(`${name}: the server answers ${response.status}`);
    const body = await response.arrayBuffer();
    if (await sha256(body) !== files[name]) continue;
    const headers = new Headers(response.headers);
    headers.delete("content-encoding"); // the body is decoded
    headers.delete("content-length");
    headers.delete("vary"); // the cache holds one form of each file
    headers.set(hashHeader, files[name]);
    if (!name.endsWith(".wasm.lzma")) return new Response(body, { headers });
    headers.set(unpackedHeader, "yes");
    headers.set("content-type", "application/wasm");
    return new Response(unpacked(new Uint8Array(body)), { headers });
  }
  throw new Error(`${name} is not the file that precache.js names: is a newer version on its way?`);
}

async function install() {
  const own = prefix + version;
  const earlier = (await caches.keys()).filter((name) => name.startsWith(prefix));
  const held = async (name) => {
    for (const key of earlier) {
      const response = await caches.match(scope + name, { cacheName: key });
      if (response && response.headers.get(hashHeader) === files[name]) return response;
    }
    return download(name);
  };
  try {
    const cache = await caches.open(own);
    await Promise.all(Object.keys(files).map(async (name) => cache.put(scope + name, await held(name))));
  } catch (error) {
    if (!earlier.includes(own)) await caches.delete(own);
    throw error;
  }
}

// ---- versions and the pages that use them ---------------------------------------------------------------------------

// What outlives this worker: {current: version, pages: {client id: version}}, the pages older than the current one.
const stateCache = prefix + "state";
const stateKey = scope + "state.json";
let state = load();

/** The state as it was kept. Where that is damaged, or missing, it begins anew. */
async function load() {
  try {
    const response = await caches.match(stateKey, { cacheName: stateCache });
    const { current, pages } = await response.json();
    if (typeof current === "string" && typeof pages === "object" && pages) return { current, pages };
  } catch { /* not there, or not what save wrote */ }
  const versions = await caches.keys().catch(() => []);
  const earlier = versions.filter((name) => name.startsWith(prefix) && ![stateCache, prefix + version].includes(name));
  return { current: earlier.pop()?.slice(prefix.length) ?? null, pages: {} };
}

async function save(next) {
  state = Promise.resolve(next);
  await (await caches.open(stateCache)).put(stateKey, new Response(JSON.stringify(next)));
}

async function activate() {
  const { current, pages } = await state;
  if (current && current !== version) {
    for (const { id } of await clients.matchAll({ type: "all" })) pages[id] ??= current;
  }
  await save({ current: version, pages });
  await tidy();
  if (!current) await clients.claim(); // the first visit: its page has just loaded this version
}

/** Forgets pages that have gone, and versions that are not in use. */
async function tidy() {
  const { current, pages } = await state;
  const open = new Set((await clients.matchAll({ type: "all", includeUncontrolled: true })).map((client) => client.id));
  const left = Object.entries(pages).filter(([id]) => open.has(id));
  if (left.length < Object.keys(pages).length) await save({ current, pages: Object.fromEntries(left) });
  if (registration.installing || registration.waiting) return; // a newer version's cache
  const used = new Set([stateCache, prefix + version, ...left.map(([, old]) => prefix + old)]);
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && !used.has(name)) await caches.delete(name);
  }
}

// ---- answering ------------------------------------------------------------------------------------------------------

/** Whatever is wrong with what is kept, the network is there. */
async function answer(event) {
  return await kept(event).catch(() => null) ?? fetch(event.request);
}

/** A navigation begins a page, with the current version; what a page asks for is of the version it began with. */
async function kept(event) {
  const { request } = event;
  const { pages } = await state;
  const old = request.mode === "navigate" ? undefined : pages[event.clientId];
  if (Object.keys(pages).length > 0) event.waitUntil(tidy());
  const path = request.url.slice(scope.length).replace(/[?#].*$/, "");
  for (const name of [path, path + "index.html", path + ".html"]) {
    const response = await caches.match(scope + name, { cacheName: prefix + (old ?? version) });
    if (response) return response;
  }
  return null;
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("message", (event) => {
  if (event.data === "activate") skipWaiting();
});
addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(scope)) event.respondWith(answer(event));
});
