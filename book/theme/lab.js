// Widgets of the pages: finds them, brings what they need when a reader comes near, and holds what all of them share.
//
// A widget is `<section class="wb-widget" data-widget="KIND" id="ID" aria-labelledby="…">` with what is shown without
// JavaScript and one `<script type="application/json">` with its initial state. The script `lab/KIND.js` of the built book
// calls `wbLab.register(KIND, mount)`; `mount(section, state, lab)` may return `{ keys, help }`, lists of `[key, what it does,
// function]` and of keys that it handles itself, and may be asynchronous.
//
// A module `lab/NAME.js` calls `wbLab.deliver("NAME", "…")` with the gzip-compressed bytes of a WebAssembly module in
// base64, because a page that is opened as a file may not fetch anything; or `wbLab.lacks("NAME", "why")`.
"use strict";

window.wbLab = (() => {
    const folder = new URL("../lab/", document.currentScript.src);
    const PREFIX = "wb2:";
    /** Milliseconds in which a status is not spoken again, and in which the address is not written again. */
    const QUIET = 500;

    /**
     * An element. An attribute is a text or a number; one that is `true` is there without a value, one that is `false`, `null` or
     * `undefined` is not there, and one that begins with `on` listens to an event.
     */
    const make = (tag, attributes = {}, ...content) => {
        const node = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) {
            if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
            else if (value === true) node.setAttribute(name, "");
            else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
        }
        node.append(...content);
        return node;
    };

    // --- Scripts and modules -------------------------------------------------------------------------------------
    /** The address of a file of the folder `lab`. */
    const address = (file) => new URL(file, folder).href;
    const scripts = new Map();
    const load = (file) => {
        if (!scripts.has(file)) {
            scripts.set(file, new Promise((resolve, reject) => {
                const script = document.createElement("script");
                script.src = address(file);
                script.onload = () => resolve();
                script.onerror = () => {
                    // The next try loads it again.
                    scripts.delete(file);
                    script.remove();
                    reject(new Error(`lab/${file} cannot be loaded`));
                };
                document.head.append(script);
            }));
        }
        return scripts.get(file);
    };

    const delivered = new Map();
    const deliver = (name, packed) => { delivered.set(name, packed); };
    // A book that was built without a module has a script in its place that says why.
    const lacking = new Map();
    const lacks = (name, why) => { lacking.set(name, why); };

    const unpacked = new Map();
    const unpack = async (name) => {
        await load(`${name}.js`);
        if (lacking.has(name)) throw new Error(lacking.get(name));
        if (!delivered.has(name)) throw new Error(`lab/${name}.js delivers no module ${name}`);
        const text = atob(delivered.get(name));
        const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
        delivered.delete(name);
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Response(stream).arrayBuffer();
    };
    /** Keeps what `make` promises under a name; a failure is forgotten, so that it can be tried again. */
    const once = (kept, name, make) => {
        if (!kept.has(name)) {
            const promise = make();
            kept.set(name, promise);
            promise.catch(() => kept.delete(name));
        }
        return kept.get(name);
    };
    const bytes = (name) => once(unpacked, name, () => unpack(name));

    /** The exports `input`, `run` and `output` of a module as one function from object to object. */
    const caller = (instance) => {
        const { memory, input, run, output } = instance.exports;
        return {
            call(request) {
                const asked = new TextEncoder().encode(JSON.stringify(request));
                const room = input(asked.length);
                // The memory may have grown, so the view is made after the call.
                new Uint8Array(memory.buffer, room, asked.length).set(asked);
                const size = run();
                return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, output(), size)));
            },
        };
    };
    const modules = new Map();
    const wasm = (name) => once(modules, name, async () => {
        const { instance } = await WebAssembly.instantiate(await bytes(name), {});
        return caller(instance);
    });

    // --- What is kept in this browser ------------------------------------------------------------------------------
    // Storage may be full, forbidden, or hold something else under this name: then it is as if nothing were kept.
    const store = {
        get(key) {
            try { return JSON.parse(localStorage.getItem(PREFIX + key)); } catch { return null; }
        },
        set(key, value) {
            try { localStorage.setItem(PREFIX + key, JSON.stringify(value)); } catch { /* nothing to keep it in */ }
        },
    };

    // --- The program that serves the page ------------------------------------------------------------------------------
    // `warpbook book serve` hands every page that it serves a token, and does what a page cannot do for who has it.
    const service = {
        get there() { return Boolean(window.wbService?.token); },
        /** The answer to an operation: `{ ok }` or `{ error: { kind, message } }`. It never rejects. */
        async ask(operation, request, signal) {
            try {
                const response = await fetch(`/warpbook/${operation}`, {
                    method: "POST", signal, body: JSON.stringify(request),
                    headers: { "content-type": "application/json", "x-warpbook-token": window.wbService?.token ?? "" },
                });
                return await response.json();
            } catch (error) {
                if (error.name === "AbortError") return { error: { kind: "stopped", message: "stopped" } };
                return { error: { kind: "gone", message: "the program that served this page does not answer" } };
            }
        },
    };

    // --- The address: `#ID~key=value~key=value` ----------------------------------------------------------------------
    const fragment = () => {
        const [id, ...pairs] = location.hash.slice(1).split("~");
        const values = {};
        for (const pair of pairs) {
            const [key, ...rest] = pair.split("=");
            const text = rest.join("=");
            // What is not encoded as an address is, is handed on as it stands: the widget says that it cannot be.
            try { values[key] = decodeURIComponent(text); } catch { values[key] = text; }
        }
        return { id, values, has: pairs.length > 0 };
    };
    const encode = (value) => encodeURIComponent(value).replace(/~/g, "%7E");
    const link = (id, values) => {
        const pairs = Object.entries(values).map(([key, value]) => `~${key}=${encode(value)}`);
        return `#${id}${pairs.join("")}`;
    };
    let pending = null;
    let timer = 0;
    const write = () => {
        timer = 0;
        if (pending === null) return;
        const { id, values } = pending;
        pending = null;
        // A widget at its defaults leaves the address of another place alone.
        if (Object.keys(values).length === 0 && fragment().id !== id) return;
        try { history.replaceState(history.state, "", link(id, values)); } catch { /* too often for this browser */ }
    };
    const watchers = new Map();
    const url = {
        get(id) {
            const own = fragment();
            return own.has && own.id === id ? own.values : {};
        },
        set(id, values) {
            pending = { id, values };
            if (timer === 0) timer = setTimeout(write, QUIET);
        },
        link: (id, values) => new URL(link(id, values), location.href.replace(/#.*$/, "")).href,
        /** Calls `seen` with the values when a link to this widget is followed on the page. */
        watch(id, seen) { watchers.set(id, seen); },
    };
    window.addEventListener("hashchange", () => {
        const { id, values, has } = fragment();
        if (!has || !watchers.has(id)) return;
        watchers.get(id)(values);
        document.getElementById(id)?.scrollIntoView();
    });

    // --- What is read aloud ----------------------------------------------------------------------------------------------
    const spoken = new WeakMap();
    const status = (section, text) => {
        let own = spoken.get(section);
        if (!own) {
            const line = make("p", { class: "wb-hidden", role: "status" });
            section.append(line);
            spoken.set(section, own = { line, timer: 0 });
        }
        clearTimeout(own.timer);
        own.timer = setTimeout(() => { own.line.textContent = text; }, QUIET);
    };

    // --- Keys ------------------------------------------------------------------------------------------------------------
    const isField = (node) => node.matches("textarea, select, [contenteditable]")
        || (node.matches("input") && !["range", "checkbox", "radio", "button"].includes(node.type));
    const helpOf = (section, list) => {
        const box = make("dl", { class: "wb-keys", hidden: true });
        for (const [key, what] of [...list, ["Esc", "leave the widget"], ["?", "show and hide these keys"]]) {
            box.append(make("dt", {}, make("kbd", {}, key === " " ? "Space" : key)), make("dd", {}, what));
        }
        section.append(box);
        return box;
    };
    const listen = (section, keys, more) => {
        const help = helpOf(section, [...more, ...keys]);
        section.addEventListener("keydown", (event) => {
            // mdBook turns pages with arrows and opens its search with letters; within a widget they are the widget's.
            event.stopPropagation();
            if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.key === "Escape") {
                const heading = document.getElementById(section.getAttribute("aria-labelledby"));
                if (!heading) return;
                heading.tabIndex = -1;
                heading.focus();
                event.preventDefault();
                return;
            }
            if (isField(event.target)) return;
            if (event.key === "?") {
                help.hidden = !help.hidden;
                if (!help.hidden) status(section, help.textContent);
                event.preventDefault();
                return;
            }
            const own = keys.find(([key]) => key === event.key);
            if (!own) return;
            own[2](event);
            event.preventDefault();
        });
    };

    // --- Widgets -----------------------------------------------------------------------------------------------------------
    const kinds = new Map();
    const register = (kind, mount) => { kinds.set(kind, mount); };

    const begun = new WeakSet();
    const begin = async (section) => {
        if (begun.has(section)) return;
        begun.add(section);
        const kind = section.dataset.widget;
        try {
            if (!kinds.has(kind)) await load(`${kind}.js`);
            if (!kinds.has(kind)) throw new Error(`lab/${kind}.js registers no widget ${kind}`);
            const initial = section.querySelector("script[type='application/json']");
            const mounted = await kinds.get(kind)(section, JSON.parse(initial?.textContent || "{}"), lab);
            listen(section, mounted?.keys ?? [], mounted?.help ?? []);
            section.dataset.state = "ready";
        } catch (error) {
            // What the page shows without JavaScript stays, and says why nothing can be touched.
            section.dataset.state = "error";
            section.append(make("p", { class: "wb-lab-note" }, `This figure cannot be tried out here: ${error.message}.`));
        }
    };

    const start = () => {
        const sections = [...document.querySelectorAll("section.wb-widget")];
        if (sections.length === 0) return;
        const { id, has } = fragment();
        const named = has ? sections.find((section) => section.id === id) : undefined;
        if (named) begin(named).then(() => named.scrollIntoView());
        // Within one screen of what is seen.
        const near = new IntersectionObserver((entries) => {
            for (const { isIntersecting, target } of entries) {
                if (!isIntersecting) continue;
                near.unobserve(target);
                begin(target);
            }
        }, { rootMargin: "100% 0px" });
        sections.forEach((section) => near.observe(section));
    };

    // --- Without a network ------------------------------------------------------------------------------------------------
    // A page that the program serves changes while its chapter is written, and needs that program anyway.
    const keep = async () => {
        if (service.there || !navigator.serviceWorker || !/^https?:$/.test(location.protocol)) return;
        try {
            await navigator.serviceWorker.register(new URL("../offline.js", folder));
            const { active } = await navigator.serviceWorker.ready;
            const loaded = performance.getEntriesByType("resource").map((own) => own.name);
            active.postMessage([location.href.replace(/#.*$/, ""), ...loaded]);
        } catch { /* A browser may forbid it: then pages need the network. */ }
    };
    if (document.readyState === "complete") keep();
    else window.addEventListener("load", keep);

    const lab = { register, make, load, address, deliver, lacks, wasm, bytes, status, url, store, service };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
    return lab;
})();
