// Writes the launches that are compared into a folder: `node requests.mjs FOLDER`. The numbers are of no meaning; what
// matters is that blocks run side by side, that floating-point functions are used, and that there are findings.
import { readFileSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
const ptx = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const write = (name, request) => writeFileSync(`${folder}/${name}.json`, JSON.stringify({ name: `${name}.ptx`, ...request }));

const count = 64 * 512;
const values = Array.from({ length: count }, (_, i) => (i % 13) * 0.125);
const scan = { ptx: ptx("kernels/ptx/scan.ptx"), grid: [count / 512, 1, 1], shared_bytes: 4 * (512 + 32) };
const args = [{ zeros: 4 * count }, { f32: values }, { scalar: `i32:${count}` }, { scalar: "i32:512" }];
write("scan", { ...scan, kernel: "scan_blelloch_padded", block: [256, 1, 1], args });
write("scan-naive", { ...scan, kernel: "scan_naive", block: [512, 1, 1], shared_bytes: 4096, args });
// The output is a thousand elements short.
const short = [{ zeros: 4 * (count - 1000) }, ...args.slice(1)];
write("scan-short", { ...scan, kernel: "scan_blelloch", block: [256, 1, 1], args: short });
// A race, which takes the detectors.
write("race", {
    ptx: ptx("sim/tests/faulty/tile_overwritten.ptx"),
    ...launchOf("sim/tests/faulty/tile_overwritten.cu"),
});
write("nonsense", { ptx: "mov.u32", kernel: "k", grid: [1, 1, 1], block: [1, 1, 1], args: [] });

/** The launch that the head of a kernel of the catalogue asks for. */
function launchOf(path) {
    const head = (key) => ptx(path).match(new RegExp(`^// ${key}: (.*)$`, "m"))?.[1].trim().split(/\s+/) ?? [];
    const extent = (text) => [...text.split(",").map(Number), 1, 1].slice(0, 3);
    const [grid, block, shared] = head("launch");
    const argument = (text) => {
        const [kind, value] = text.split(":");
        if (kind === "zeros" || kind === "uninit") return { [kind]: Number(value) };
        if (kind === "iota") return { u32: Array.from({ length: Number(value) }, (_, i) => i) };
        return { scalar: text };
    };
    const kernel = path.match(/([^/]*)\.cu$/)[1];
    return { kernel, grid: extent(grid), block: extent(block), shared_bytes: Number(shared ?? 0), args: head("args").map(argument) };
}
