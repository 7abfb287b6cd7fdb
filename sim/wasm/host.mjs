// Answers requests with the WebAssembly module, under Node.js: `node host.mjs MODULE REQUEST ANSWER [REQUEST ANSWER]…`.
import { readFileSync, writeFileSync } from "node:fs";

const [module, ...files] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { memory, input, run, output } = instance.exports;
for (let at = 0; at < files.length; at += 2) {
    const request = readFileSync(files[at]);
    const room = input(request.length);
    new Uint8Array(memory.buffer, room, request.length).set(request);
    const size = run();
    // The memory may have grown, which detaches earlier views of it.
    writeFileSync(files[at + 1], new Uint8Array(memory.buffer, output(), size));
}
