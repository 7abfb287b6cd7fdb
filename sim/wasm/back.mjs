// How long a step back takes in a long session: `node back.mjs MODULE [PROGRAM]` opens a launch of 10^7 thread-instructions in the
// module, and in the program `answer` where it is named, and steps back from places all over it. More than 100 ms fails.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Thread-instructions of the launch at least, and the counter that tells them. */
const INSTRUCTIONS = 1e7;
const COUNTER = "warpbook__ptx_thread_inst_executed.sum";
/** Milliseconds that nine of ten steps back may take. */
const MOST = 100;
const PLACES = 40;

const TILES = 480;
const launch = {
    let: { n: TILES * 512 },
    module: { name: "scan.ptx", ptx: readFileSync(new URL("../../kernels/ptx/scan.ptx", import.meta.url), "utf8") },
    buffers: [{ name: "in", element: "f32", count: "n", content: { generate: "i % 13" } }, { name: "out", element: "f32", count: "n", content: "zeros" }],
    launches: [{
        kernel: "scan_blelloch", grid: ["n/512"], block: [256], shared: 2048,
        args: [{ buffer: "out" }, { buffer: "in" }, { scalar: "i32:n" }, { scalar: "i32:512" }],
    }],
};

/** Asks the module. */
async function ofModule(path) {
    const { instance } = await WebAssembly.instantiate(readFileSync(path), { host: { progress: () => 0 } });
    const { memory, input, run, output } = instance.exports;
    return async (text) => {
        const request = Buffer.from(text);
        const room = input(request.length);
        new Uint8Array(memory.buffer, room, request.length).set(request);
        const size = run();
        return Buffer.from(new Uint8Array(memory.buffer, output(), size)).toString();
    };
}

/** Asks the program, a line at a time. */
function ofProgram(path) {
    const program = spawn(path, { env: { ...process.env, RAYON_NUM_THREADS: "1" }, stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const ask = async (text) => {
        program.stdin.write(`${text}\n`);
        return (await lines.next()).value;
    };
    return Object.assign(ask, { end: () => program.stdin.end() });
}

async function measure(name, answer) {
    let id = 0;
    const ask = async (request) => {
        const text = await answer(JSON.stringify({ v: 1, id: ++id, ...request }));
        const told = JSON.parse(text);
        if (!told.ok) throw new Error(`${name}: ${text}`);
        return told.ok;
    };
    const { reports: [report] } = await ask({ op: "run", ...launch, checks: "memcheck" });
    const executed = report.estimates[COUNTER];
    if (!(executed >= INSTRUCTIONS)) throw new Error(`the launch executes ${executed} thread-instructions, fewer than ${INSTRUCTIONS}`);
    const began = performance.now();
    const { session, length } = await ask({ op: "open", ...launch });
    const opened = performance.now() - began;
    const show = { warp: [0, 0], shared: [0, 512] };
    const took = [];
    for (let place = 1; place <= PLACES; place++) {
        await ask({ op: "seek", session, position: Math.floor(length * place / PLACES), show });
        const from = performance.now();
        await ask({ op: "step", session, direction: "back", show });
        took.push(performance.now() - from);
    }
    took.sort((a, b) => a - b);
    const [half, most, worst] = [took[PLACES / 2], took[Math.ceil(PLACES * 0.9) - 1], took.at(-1)];
    const ms = (own) => `${own.toFixed(1)} ms`;
    console.log(`a step back, ${name}: ${ms(half)}, nine of ten within ${ms(most)}, at most ${ms(worst)}; ` +
        `${executed.toLocaleString("en-US")} thread-instructions in ${length.toLocaleString("en-US")} steps were recorded in ${ms(opened)}`);
    return most <= MOST;
}

const [module, program] = process.argv.slice(2);
let fine = await measure("WebAssembly", await ofModule(module));
if (program) {
    const native = ofProgram(program);
    fine = await measure("native", native) && fine;
    native.end();
}
if (!fine) {
    console.error(`steps back take more than ${MOST} ms`);
    process.exit(1);
}
