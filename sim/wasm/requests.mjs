// Prints requests whose answers are findings or errors, one a line: the cases of the workbook have next to none.
import { readFileSync } from "node:fs";

let id = 1_000_000;
const text = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const say = (request) => console.log(JSON.stringify({ v: 1, id: ++id, ...request }));

const count = 64 * 512;
const module = { name: "scan.ptx", ptx: text("kernels/ptx/scan.ptx") };
const input = { name: "in", element: "f32", count, content: { generate: "(i % 13) * 0.125" } };
// The output is a thousand elements short.
say({
    op: "run",
    module,
    let: { n: count },
    buffers: [input, { name: "out", element: "f32", count: "n - 1000", content: "zeros" }],
    launches: [{
        kernel: "scan_blelloch", grid: ["n/512"], block: [256], shared: 2048,
        args: [{ buffer: "out" }, { buffer: "in" }, { scalar: "i32:n" }, { scalar: "i32:512" }],
    }],
});
// Races, which take the detectors; and what never ends.
for (const name of ["tile_overwritten", "flag_with_the_fence_of_a_block", "endless_loop", "half_of_the_block_at_a_barrier"]) {
    say({ ...launchOf(`sim/tests/faulty/${name}`), details: true, schedules: 3, block_budget: 1_000_000 });
}
say({ ...launchOf("sim/tests/faulty/tile_overwritten"), budget: 100 });
// Sessions: the first of the engine is 1.
let session = 0;
const scan = {
    module, let: { n: 1024 },
    buffers: [{ ...input, count: 1024 }, { name: "out", element: "f32", count: "n", content: "zeros" }],
    launches: [{
        kernel: "scan_blelloch", grid: ["n/512"], block: [256], shared: 2048,
        args: [{ buffer: "out" }, { buffer: "in" }, { scalar: "i32:n" }, { scalar: "i32:512" }],
    }],
};
const { launches, buffers, module: overwritten } = launchOf("sim/tests/faulty/tile_overwritten");
for (const opened of [scan, { ...scan, seed: 5 }, { launches, buffers, module: overwritten }]) {
    const show = { shared: [0, 512] };
    say({ op: "open", ...opened, show });
    session += 1;
    for (const unit of ["step", "warp", "line", "block", "step"]) say({ op: "step", session, unit, warp: [0, 1], show });
    for (const event of ["divergence", "conflict", "barrier", "finding", "global"]) say({ op: "find", session, for: { event: { event } }, show });
    say({ op: "find", session, for: { last_write: { shared: { block: 0, address: 64, bytes: 4 } } }, show: { warp: [0, 2] } });
    for (const position of [1500, 3, 700, 1e9]) say({ op: "seek", session, position, show });
    say({ op: "step", session, direction: "back", show });
    say({ op: "view", session: session + 1 });
}
say({ op: "close", session });
say({ op: "load", name: "nonsense.ptx", ptx: "mov.u32" });
say({ op: "hello" });
say({ op: "none" });

/** The launch that the head of a kernel of the catalogue asks for. */
function launchOf(path) {
    const source = text(`${path}.cu`);
    const name = path.match(/([^/]*)$/)[1];
    const head = (key) => source.match(new RegExp(`^// ${key}: (.*)$`, "m"))?.[1].trim().split(/\s+/) ?? [];
    const [grid, block, shared] = head("launch");
    const buffers = [];
    const args = head("args").map((argument, at) => {
        const [kind, value] = argument.split(":");
        const content = { zeros: "zeros", uninit: "uninit", iota: { generate: "iota" } }[kind];
        if (!content) return { scalar: argument };
        const [element, count] = kind === "iota" ? ["u32", Number(value)] : ["u8", Number(value)];
        buffers.push({ name: `a${at}`, element, count, content });
        return { buffer: `a${at}` };
    });
    const launch = { kernel: name, grid: grid.split(","), block: block.split(","), shared: Number(shared ?? 0), args };
    return { op: "run", module: { name: `${name}.ptx`, ptx: text(`${path}.ptx`) }, buffers, launches: [launch] };
}
