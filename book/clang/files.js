// Where the package `@yowasp/clang` gets its files from: it fetches them beside itself, and here it is handed them. `.ci/clang` puts the
// small modules into this script; the large one comes from the page.
import core2 from "./gen/llvm.core2.wasm";
import core3 from "./gen/llvm.core3.wasm";
import core4 from "./gen/llvm.core4.wasm";

/** An archive that ends at once: the headers of LLVM and of C libraries are not used, since ours suffice. */
const EMPTY = new Uint8Array(1024);

let handOver;
const core = new Promise((resolve) => { handOver = resolve; });
const small = { "llvm.core2.wasm": core2, "llvm.core3.wasm": core3, "llvm.core4.wasm": core4, "llvm-resources.tar": EMPTY };

self.fetch = async (url) => {
    const name = new URL(url).pathname.slice(1);
    const body = name === "llvm.core.wasm" ? await core : small[name];
    if (!body) throw new Error(`there is no file ${name} for clang`);
    return new Response(body, { headers: { "content-type": "application/wasm" } });
};

/** Hands the large module over: a stream of its bytes. */
export const bring = (stream) => handOver(stream);
