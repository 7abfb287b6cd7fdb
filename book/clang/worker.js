// CUDA C++ to PTX in a page: a Web Worker with clang, as far as LLVM's intermediate language, and the module `ptxgen` behind it. What
// clang is told and what its words mean is the business of the module `front`, as it is natively.
//
// It gets `{ start: { core, front, ptxgen } }`, a compressed file and two modules' bytes, and says `{ ready }` or `{ fault }`; then it
// answers `{ id, name, source, kernels, debug }` by `{ id, answer }`, where an answer is what the program that serves the book gives.
import { bring } from "./files.js";
import { Exit, runLLVM } from "./gen/bundle.js";

const fault = (message) => ({ error: { kind: "internal", message } });

/** The three exports of a module as one function from object to object. */
const caller = async (bytes) => {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    const { memory, input, run, output, panicked } = instance.exports;
    const text = (size) => new TextDecoder().decode(new Uint8Array(memory.buffer, output(), size));
    return (request) => {
        const asked = new TextEncoder().encode(JSON.stringify(request));
        const room = input(asked.length);
        new Uint8Array(memory.buffer, room, asked.length).set(asked);
        try {
            return JSON.parse(text(run()));
        } catch (error) {
            // What the module said before it ended.
            throw panicked ? new Error(text(panicked()) || error.message) : error;
        }
    };
};

let front = null;
let ptxgen = null;
/** The device headers as a tree of folders. */
let tree = null;

const folders = (headers) => {
    const root = {};
    for (const [name, text] of Object.entries(headers)) {
        const parts = name.split("/");
        const file = parts.pop();
        let at = root;
        for (const part of parts) at = at[part] ??= {};
        at[file] = text;
    }
    return root;
};

const start = async ({ core, front: own, ptxgen: back }) => {
    const packed = new Uint8Array(await core.slice(0, 2).arrayBuffer());
    // A server that says how a file is packed has it unpacked by the browser.
    const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
    bring(isPacked ? core.stream().pipeThrough(new DecompressionStream("gzip")) : core.stream());
    [front, ptxgen] = await Promise.all([caller(own), caller(back)]);
    tree = folders(front({ op: "headers" }).ok);
    await runLLVM(null, {}, { fetchProgress: () => {} });
};

/** What clang makes of an order, and what it says: `{ text, log }`, without a text where it refuses. */
const clang = async (order) => {
    const said = [];
    const hear = (bytes) => { if (bytes) said.push(new Uint8Array(bytes)); };
    const options = { stdout: hear, stderr: hear, decodeASCII: false };
    const log = async () => new Blob(said).text();
    try {
        const files = await runLLVM(order.arguments, { ...order.files, [order.headers]: tree }, options);
        return { text: new TextDecoder().decode(files[order.output]), log: await log() };
    } catch (error) {
        if (error instanceof Exit) return { text: null, log: await log() };
        throw error;
    }
};

const compile = async ({ name, source, kernels, debug }) => {
    const order = front({ op: "order", name, source, debug });
    if (order.error) {
        const { lines } = front({ op: "read", name, log: order.error.message }).ok;
        return { error: { ...order.error, lines } };
    }
    const { text, log } = await clang(order.ok);
    const said = front({ op: "read", name, log }).ok;
    if (text === null) {
        const refused = said.lines.some(({ severity }) => severity === "error") || /error:/.test(log);
        return refused ? { error: { kind: "rejected", message: said.log, lines: said.lines } } : fault(`clang ended without a result: ${log}`);
    }
    const made = ptxgen({ ir: text, target: order.ok.target });
    if (made.error) {
        const { kind, message, line } = made.error;
        const lines = line ? [{ line, severity: "error", message }] : [];
        return { error: { kind, message: line ? `line ${line}: ${message}` : message, lines } };
    }
    return { ok: { ptx: front({ op: "slice", ptx: made.ok.ptx, kernels }).ok, warnings: said.log, lines: said.lines } };
};

self.onmessage = async ({ data }) => {
    try {
        if (data.start) {
            await start(data.start);
            postMessage({ ready: true });
        } else {
            postMessage({ id: data.id, answer: await compile(data) });
        }
    } catch (error) {
        const message = String(error?.message ?? error);
        postMessage(data.start ? { fault: message } : { id: data.id, answer: fault(`the compiler in the page failed: ${message}`), broken: true });
    }
};
