// The simulator in a Web Worker: `wbEngine.ask(request, { told })` gives the answer of protocol version 1 to one operation.
//
// The worker comes from a Blob and gets the module's bytes, because a page that is opened as a file may fetch nothing. A
// simulation runs to its end in one call, so what stops it is the end of the worker; the next request starts another one.
"use strict";

/** A worker with the module of this name: the simulator, or what holds one. */
window.wbWorker = (MODULE) => {
    const VERSION = 1;
    /** Milliseconds after which a worker that says nothing is taken for dead: it tells of every tenth of a second of work. */
    let patience = 20_000;

    /** What runs in the worker. Its text is all that it gets: it may use nothing of the page. */
    const inWorker = () => {
        let exports = null;
        let current = 0;
        let told = 0;
        // Called by the module between turns of warps. The page hears of it ten times a second.
        const progress = (instructions) => {
            const now = performance.now();
            if (now - told > 100) {
                told = now;
                postMessage({ id: current, event: { progress: { instructions } } });
            }
            return 0;
        };
        const text = (size) => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.output(), size));
        const answer = (request) => {
            const asked = new TextEncoder().encode(request);
            const room = exports.input(asked.length);
            new Uint8Array(exports.memory.buffer, room, asked.length).set(asked);
            return text(exports.run());
        };
        onmessage = async ({ data }) => {
            try {
                if (data.module) {
                    const made = await WebAssembly.instantiate(data.module, { host: { progress } });
                    exports = (made.instance ?? made).exports;
                    postMessage({ ready: true });
                    return;
                }
                current = data.id;
                told = performance.now();
                postMessage({ id: data.id, answer: answer(data.request), ms: performance.now() - told });
            } catch (error) {
                let why = String(error);
                try {
                    // What the module said before it ended.
                    if (exports) why = text(exports.panicked()) || why;
                } catch { /* nothing more is known */ }
                postMessage({ id: data.id, crash: why, stack: String(error?.stack ?? "") });
            }
        };
    };

    let code = null;
    const workerUrl = () => {
        code ??= URL.createObjectURL(new Blob([`"use strict";(${inWorker})();`], { type: "text/javascript" }));
        return code;
    };

    /** The worker that is there: `{ worker, ready, waiting }`. */
    let own = null;
    let last = 0;

    const failure = (kind, message, more) => ({ error: { kind, message, ...more } });

    /** Ends the worker. Whoever waits for it is told `why`. */
    const end = (why) => {
        if (!own) return;
        const { worker, waiting } = own;
        own = null;
        worker.terminate();
        for (const [id, { resolve }] of waiting) resolve({ id, ...why });
        waiting.clear();
    };

    const start = () => {
        if (own) return own;
        const worker = new Worker(workerUrl());
        const waiting = new Map();
        const mine = { worker, waiting, ready: null, heard: performance.now() };
        own = mine;
        // A browser may end a worker without a word.
        const watch = setInterval(() => {
            if (own !== mine) clearInterval(watch);
            else if (waiting.size === 0) mine.heard = performance.now();
            else if (performance.now() - mine.heard > patience) {
                end(failure("internal", `nothing was heard of the simulator for ${patience / 1000} s`));
            }
        }, 250);
        mine.ready = new Promise((resolve, reject) => {
            const crashed = (message, stack) => {
                reject(new Error(message));
                // A module that has trapped is not asked again.
                if (own === mine) end(failure("internal", message, { stack }));
            };
            worker.onmessage = ({ data }) => {
                mine.heard = performance.now();
                if (data.ready) resolve();
                else if (data.crash !== undefined) crashed(data.crash, data.stack);
                else if (data.event) waiting.get(data.id)?.told?.(data.event);
                else {
                    const asked = waiting.get(data.id);
                    waiting.delete(data.id);
                    asked?.resolve({ ...JSON.parse(data.answer), ms: data.ms });
                }
            };
            worker.onerror = (event) => { event.preventDefault(); crashed(event.message || "the worker ended", ""); };
        });
        // Who waits for an answer is told by `end`.
        mine.ready.catch(() => {});
        window.wbLab.bytes(MODULE).then(
            (bytes) => worker.postMessage({ module: bytes }),
            (error) => { if (own === mine) end(failure("internal", error.message)); },
        );
        return mine;
    };

    /**
     * The answer to `{ op, … }`: `{ id, ok, ms }` or `{ id, error: { kind, message } }`. It never rejects. `told` is called with
     * events. A request that is stopped is answered by an error of the kind `stopped`.
     */
    const ask = (request, { told } = {}) => new Promise((resolve) => {
        const id = ++last;
        const mine = start();
        mine.waiting.set(id, { resolve, told });
        mine.ready.then(() => {
            if (mine.waiting.has(id)) {
                mine.worker.postMessage({ id, request: JSON.stringify({ v: VERSION, id, ...request }) });
            }
        }, () => {});
    });

    /** Ends what runs, at once. The next request starts a new worker. */
    const stop = () => end(failure("stopped", "stopped"));

    /** Gets the module before it is needed. */
    const warm = () => { start(); };

    /** The text of a fault of ours, to be copied into a report. */
    const complaint = (error, request) => [
        "The simulator in the page failed, which is a fault of Warpbook's.",
        `message: ${error.message}`,
        error.stack ? `stack: ${error.stack}` : "",
        `page: ${location.href}`,
        `browser: ${navigator.userAgent}`,
        `request: ${JSON.stringify(request, (key, value) => (key === "ptx" ? `${value.length} characters` : value))}`,
    ].filter(Boolean).join("\n");

    return { ask, stop, warm, complaint, version: VERSION,
        get worker() { return own?.worker ?? null; },
        set patience(ms) { patience = ms; },
    };
};
window.wbEngine = window.wbWorker("sim");
