// Lets the service worker keep the site for times without a network, and says when it has fetched a newer version.
// When everything is kept, the page's root carries data-offline="ready".
(() => {
  "use strict";

  const base = document.currentScript.src;
  const root = document.documentElement;
  const container = offered();
  if (!container || !/^https?:$/.test(location.protocol)) return;
  const anHour = 3600000;

  /** The browser's service workers. In a sandbox the very name throws. */
  function offered() {
    try {
      return navigator.serviceWorker;
    } catch {
      return null;
    }
  }

  /** The engine's download comes first; the worker then finds it in the browser's cache. */
  function afterBoot(f) {
    if (root.dataset.boot !== "loading") return f();
    new MutationObserver((_, observer) => {
      if (root.dataset.boot === "loading") return;
      observer.disconnect();
      f();
    }).observe(root, { attributeFilter: ["data-boot"] });
  }

  function button(label, act) {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = label;
    b.addEventListener("click", act);
    return b;
  }

  function announce(registration) {
    if (document.querySelector(".update")) return;
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("offline.css", base);
    const notice = document.createElement("section");
    notice.className = "update";
    notice.setAttribute("aria-label", "New version");
    notice.setAttribute("aria-live", "polite");
    const sentence = document.createElement("p");
    sentence.textContent = "A new version is ready.";
    notice.append(sentence, button("Reload", () => renew(registration)), button("Later", () => notice.remove()));
    style.addEventListener("load", () => document.body.append(notice));
    document.head.append(style);
  }

  /** Pages of the old version that stay open go on with it; this one begins anew. */
  function renew(registration) {
    if (!registration.waiting) return location.reload();
    container.addEventListener("controllerchange", () => location.reload(), { once: true });
    registration.waiting.postMessage("activate");
  }

  /** Follows one worker to its end; the first of all replaces nothing and needs no announcement. */
  function follow(registration, worker) {
    const look = () => {
      if (worker.state === "installed" && registration.active) announce(registration);
      if (worker.state === "activated") root.dataset.offline = "ready";
    };
    worker.addEventListener("statechange", look);
    look();
  }

  async function begin() {
    const registration = await container.register(new URL("sw.js", base), { updateViaCache: "none" });
    for (const worker of [registration.active, registration.waiting, registration.installing]) {
      if (worker) follow(registration, worker);
    }
    registration.addEventListener("updatefound", () => follow(registration, registration.installing));
    let checked = 0;
    const check = () => {
      if (document.hidden || Date.now() - checked < anHour) return;
      checked = Date.now();
      registration.update().catch(() => { /* no network: later */ });
    };
    document.addEventListener("visibilitychange", check);
    if (registration.active) check();
  }

  // Where the browser refuses, the site works as long as there is a network.
  addEventListener("load", () => afterBoot(() => begin().catch(() => {})));
})();
