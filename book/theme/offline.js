// A service worker: pages that were visited, and what they loaded, can be read again without a network. What the network has is always
// taken from there, so that nobody reads an old book. The compiler is kept by `lab/clang.js`.
"use strict";

const CACHE = "wb-site";
const isOwn = (url) => url.origin === location.origin && url.href.startsWith(registration.scope) && !url.pathname.endsWith("/llvm.wasm.gz");
const keep = async (request, response) => {
    if (response.ok && response.type === "basic") await (await caches.open(CACHE)).put(request, response);
};

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
// What a page had loaded before there was a service worker.
self.addEventListener("message", (event) => event.waitUntil(Promise.all(event.data.map(async (address) => {
    if (!isOwn(new URL(address))) return;
    try { await keep(address, await fetch(address, { cache: "force-cache" })); } catch { /* It is kept when it is loaded next. */ }
}))));
self.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.method !== "GET" || !isOwn(new URL(request.url))) return;
    event.respondWith((async () => {
        try {
            const response = await fetch(request);
            event.waitUntil(keep(request, response.clone()).catch(() => {}));
            return response;
        } catch (error) {
            const kept = await caches.match(request, { cacheName: CACHE, ignoreSearch: request.mode === "navigate" });
            if (kept) return kept;
            throw error;
        }
    })());
});
