// Answers requests with the WebAssembly module, under Node.js: `node host.mjs MODULE REQUESTS` prints the answer to each line of
// the file, and how long they took on the standard error; `node host.mjs MODULE --sources` prints what it was made from.
import { readFileSync, writeSync } from "node:fs";

const [module, requests] = process.argv.slice(2);
let calls = 0;
const progress = () => {
    calls += 1;
    return 0;
};
const { instance } = await WebAssembly.instantiate(readFileSync(module), { host: { progress } });
const { memory, input, run, output, sources } = instance.exports;

function answer(request) {
    const room = input(request.length);
    new Uint8Array(memory.buffer, room, request.length).set(request);
    const size = run();
    // The memory may have grown, which detaches earlier views of it.
    return Buffer.from(new Uint8Array(memory.buffer, output(), size));
}

if (requests === "--sources" && sources) {
    const size = sources();
    console.log(Buffer.from(new Uint8Array(memory.buffer, output(), size)).toString());
} else if (requests === "--sources") {
    const hello = JSON.parse(answer(Buffer.from('{"v":1,"id":1,"op":"hello"}')));
    console.log(hello.ok.sources);
} else {
    const began = performance.now();
    let executed = 0;
    for (const request of readFileSync(requests).toString().split("\n").filter(Boolean)) {
        const bytes = answer(Buffer.from(request));
        executed += Number(bytes.toString().match(/"executed":(\d+)/)?.[1] ?? 0);
        for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
        writeSync(1, "\n");
    }
    const ms = performance.now() - began;
    console.error(`WebAssembly: ${executed} warp-instructions in ${Math.round(ms)} ms, the host was asked ${calls} times`);
}
