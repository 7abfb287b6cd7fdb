// Asks a module with the exports `input`, `run` and `output`: `node ask.mjs MODULE.wasm REQUEST` prints what stands behind `ok`.
import { readFile } from "node:fs/promises";

const [file, request] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(await readFile(file), {});
const { memory, input, run, output } = instance.exports;
const asked = new TextEncoder().encode(request);
const room = input(asked.length);
new Uint8Array(memory.buffer, room, asked.length).set(asked);
const size = run();
const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, output(), size)));
if (answer.ok === undefined) throw new Error(JSON.stringify(answer));
console.log(answer.ok);
