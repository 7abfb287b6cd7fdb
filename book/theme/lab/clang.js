// CUDA C++ compiled in the page: `wbClang.compile(request, signal)` answers as the program that serves the book does.
//
// The compiler is clang as WebAssembly in a Web Worker (`lab/clang/`). It is large, so it is fetched only when a reader asks for it, and
// then kept in this browser. A page that is opened as a file may fetch nothing: its reader chooses the compiler's file, which lies
// in the book's folder. `wbClang.note(changed)` is the paragraph that offers it, shows how far it has come, and names its licence.
"use strict";

window.wbClang = (() => {
    const lab = window.wbLab;
    const { make } = lab;
    const CACHE = "wb-clang";
    /** The script of the worker, which comes as modules do. */
    const WORKER = "clang-worker";
    /** The compiler's file, as a reader finds it who chooses it. */
    const CORE = "lab/clang/llvm.wasm.gz";
    const isFile = location.protocol === "file:";
    const MODULES = ["front", "ptxgen"];
    /** Milliseconds after which a worker that nobody asks is ended: it holds some hundred megabytes. */
    const IDLE = 180_000;

    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    const failure = (kind, message) => ({ error: { kind, message } });

    // --- What there is ----------------------------------------------------------------------------------------------------
    /** What the book was built with: `{ bytes, digest, version, licences }`; or `{ lacks: why }`. */
    let about = null;
    const core = () => lab.address(`clang/llvm.wasm.gz?${about.digest}`);
    const keeper = () => (window.caches ? caches.open(CACHE).catch(() => null) : null);
    const isKept = async () => Boolean(await (await keeper())?.match(core()));

    /** Why no page like this one compiles, as a sentence; or nothing. */
    const hindrance = () => {
        if (about.lacks) return about.lacks;
        if (!window.DecompressionStream || !window.WebAssembly || !window.Worker) {
            return "This browser has no WebAssembly, no Web Workers or no DecompressionStream, and the compiler needs them.";
        }
        return null;
    };

    let looked = null;
    /** `{ why }` where this page cannot compile; else `{ kept, bytes, version }`. */
    const look = () => {
        looked ??= lab.load("compiler.js").then(async () => {
            about = window.wbCompiler ?? { lacks: "This book was built without a compiler." };
            const why = hindrance();
            if (why) return { why };
            return { kept: isFile ? Boolean(chosen) : await isKept(), bytes: about.bytes, version: about.version };
        }, (error) => {
            looked = null;
            return { why: `${error.message}.` };
        });
        return looked;
    };

    // --- Fetching -----------------------------------------------------------------------------------------------------------
    /** The compiler's file that the reader chose, where the page may not fetch it. */
    let chosen = null;
    /** The file as a Blob, from the cache or over the network; `told(bytes)` hears of every piece. */
    const file = async (told, signal) => {
        if (isFile) {
            if (!chosen) throw new Error(`the file ${CORE} of the book's folder has not been chosen`);
            return chosen;
        }
        const cache = await keeper();
        const kept = await cache?.match(core());
        if (kept) return kept.blob();
        const response = await fetch(core(), { signal });
        if (!response.ok) throw new Error(`the server answers ${response.status} when it is asked for the compiler`);
        const pieces = [];
        let got = 0;
        const reader = response.body.getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            pieces.push(part.value);
            got += part.value.length;
            told(got);
        }
        const blob = new Blob(pieces);
        // A browser that unpacks what the server says is packed hands over more.
        if (got < about.bytes) throw new Error(`the connection was cut after ${megabytes(got)} of ${megabytes(about.bytes)}`);
        try {
            for (const old of await cache?.keys() ?? []) await cache.delete(old);
            await cache?.put(core(), new Response(blob));
        } catch { /* There is no room: it is fetched again next time. */ }
        return blob;
    };
    /** The script of the worker, which works without a network once it was loaded. */
    let script = null;
    const workerUrl = async () => {
        script ??= URL.createObjectURL(new Blob([await lab.bytes(WORKER)], { type: "text/javascript" }));
        return script;
    };

    // --- The worker -----------------------------------------------------------------------------------------------------------
    /** The worker that is there: `{ worker, ready, waiting, timer }`. */
    let own = null;
    let last = 0;

    const end = (answer) => {
        if (!own) return;
        const { worker, waiting, timer, fail } = own;
        own = null;
        clearTimeout(timer);
        worker?.terminate();
        fail?.(new DOMException("stopped", "AbortError"));
        for (const resolve of waiting.values()) resolve(answer);
        waiting.clear();
    };
    const rest = () => {
        if (!own) return;
        clearTimeout(own.timer);
        if (own.waiting.size === 0) own.timer = setTimeout(() => end(null), IDLE);
    };

    /** Starts the compiler. Rejects where it cannot be had; a next try starts anew. */
    const start = (told = () => {}, signal = undefined) => {
        if (own) return own.ready;
        const mine = { worker: null, waiting: new Map(), timer: 0, ready: null, fail: null };
        own = mine;
        mine.ready = (async () => {
            const [blob, url, ...bytes] = await Promise.all([file(told, signal), workerUrl(), ...MODULES.map((name) => lab.bytes(name))]);
            if (own !== mine) throw new DOMException("stopped", "AbortError");
            mine.worker = new Worker(url);
            await new Promise((resolve, reject) => {
                // A worker that is ended says nothing any more.
                mine.fail = reject;
                mine.worker.onmessage = ({ data }) => {
                    if (data.ready) resolve();
                    else if (data.fault) reject(new Error(`the compiler cannot be started: ${data.fault}`));
                    else {
                        mine.waiting.get(data.id)?.(data.answer);
                        mine.waiting.delete(data.id);
                        // One that has failed is not asked again.
                        if (data.broken && own === mine) end(data.answer);
                        rest();
                    }
                };
                mine.worker.onerror = (event) => {
                    event.preventDefault();
                    const message = `the compiler in the page failed: ${event.message || "the worker ended"}`;
                    reject(new Error(message));
                    if (own === mine) end(failure("internal", message));
                };
                signal?.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")), { once: true });
                mine.worker.postMessage({ start: { core: blob, front: bytes[0], ptxgen: bytes[1] } });
            });
            looked = null;
        })();
        mine.ready.catch(() => { if (own === mine) end(failure("internal", "the compiler cannot be had")); });
        return mine.ready;
    };

    /** Compiles `{ name, source, kernels, debug }`: `{ ok: { ptx, warnings, lines } }` or `{ error: { kind, message, lines } }`. It never rejects. */
    const compile = async (request, signal) => {
        const stopped = () => end(failure("stopped", "stopped"));
        signal?.addEventListener("abort", stopped, { once: true });
        try {
            await start();
            if (!own) return failure("stopped", "stopped");
            const mine = own;
            const id = ++last;
            return await new Promise((resolve) => {
                mine.waiting.set(id, resolve);
                clearTimeout(mine.timer);
                mine.worker.postMessage({ id, ...request });
            });
        } catch (error) {
            if (error.name === "AbortError") return failure("stopped", "stopped");
            return failure("input", `The compiler cannot be had: ${error.message}.`);
        } finally {
            signal?.removeEventListener("abort", stopped);
        }
    };

    // --- What the page says of it -----------------------------------------------------------------------------------------------
    const SERVE = "warpbook book serve --open";
    /**
     * A paragraph for who edits; `changed(ready)` hears whether the page can compile, each time that it becomes known. `otherwise` says
     * what can be done where it cannot.
     */
    const note = (changed = () => {}, otherwise = "PTX can be edited and run here.") => {
        const box = make("div", { class: "wb-edit-note wb-clang" });
        const fetchButton = make("button", { type: "button", class: "wb-clang-fetch" });
        let has = false;
        const pick = make("input", { type: "file", accept: ".gz", class: "wb-clang-pick" });
        const licences = () => make("a", { href: lab.address("clang/LICENSES.txt") }, "their licences");
        const show = async (fault = "") => {
            const { why, kept, bytes, version } = await look();
            has = !why && kept;
            if (why) {
                box.replaceChildren("CUDA C++ is compiled by the program that serves the book, and this page was opened without it. Type: ",
                    make("code", {}, SERVE), `. ${why} ${otherwise}`.trimEnd());
            } else if (has) {
                box.replaceChildren(`CUDA C++ is compiled in this page, by clang ${version.split(".")[0]} (`, licences(), ").");
            } else if (isFile) {
                const text = "This page was opened as a file, and browsers let such a page fetch nothing. To compile CUDA C++ in it, choose the file ";
                box.replaceChildren(make("p", {}, text, make("code", {}, CORE), " of the book's folder: clang and LLVM (", licences(), "). Or type ",
                    make("code", {}, SERVE), " and read the book there. ", otherwise),
                make("label", { class: "wb-clang-file" }, "the compiler's file ", pick));
                if (fault) box.append(make("p", { class: "wb-panel-fault" }, fault));
            } else {
                fetchButton.textContent = `Fetch the compiler (${megabytes(bytes)}, once)`;
                const text = "This page can compile CUDA C++ by itself, with clang and LLVM (";
                const more = "). They are kept in this browser, also for use without a network. ";
                box.replaceChildren(make("p", {}, text, licences(), more), fetchButton);
                if (fault) box.append(make("p", { class: "wb-panel-fault" }, fault));
            }
            changed(has);
        };
        const bring = async () => {
            const abort = new AbortController();
            const stop = make("button", { type: "button" }, "Stop");
            const bar = make("progress", { max: String(about.bytes), value: "0", "aria-label": "The compiler is fetched" });
            const text = make("span", {}, `0 of ${megabytes(about.bytes)}`);
            stop.addEventListener("click", () => abort.abort());
            const had = box.contains(document.activeElement);
            box.replaceChildren(bar, " ", text, " ", stop);
            if (had) stop.focus();
            let fault = "";
            try {
                await start((got) => {
                    bar.value = got;
                    text.textContent = got < about.bytes ? `${megabytes(got)} of ${megabytes(about.bytes)}` : "starting …";
                }, abort.signal);
            } catch (error) {
                if (error.name !== "AbortError") fault = `The compiler could not be fetched: ${error.message}.`;
            }
            looked = null;
            await show(fault);
            // Without a cache it is there as long as the page is.
            if (!fault && !abort.signal.aborted && !has) {
                has = true;
                box.replaceChildren(`CUDA C++ is compiled in this page, by clang ${about.version.split(".")[0]} (`, licences(), "). This browser keeps no copy.");
                changed(true);
            }
        };
        fetchButton.addEventListener("click", bring);
        pick.addEventListener("change", async () => {
            const [own] = pick.files;
            if (!own) return;
            if (own.size !== about.bytes) {
                await show(`${own.name} has ${own.size.toLocaleString("en-US")} bytes, and the compiler of this book has ${about.bytes.toLocaleString("en-US")}.`);
                return;
            }
            chosen = own;
            looked = null;
            await bring();
        });
        return { box, shown: show(), get has() { return has; }, focus() { (isFile ? pick : fetchButton).focus(); } };
    };

    return { look, compile, start, note, get worker() { return own?.worker ?? null; } };
})();
