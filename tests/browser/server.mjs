// Serves a built site from this machine to this machine. The self-test has it change what it serves.
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";

const TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
};

/**
 * The pages of a site, as paths within it. Not among them: `toc.html`, which is the table of contents that pages show
 * in a frame, and `print.html`, which is all other pages in one and opens the printer's dialogue.
 */
export async function pagesOf(site) {
    const files = await readdir(site, { recursive: true });
    const pages = files.map((file) => file.split(path.sep).join("/")).filter((file) => file.endsWith(".html"));
    return pages.filter((page) => page !== "toc.html" && page !== "print.html").sort();
}

/** Fonts come this much later than the rest, in ms, as over a network: what a page measured before is measured again. */
const FONTS_LATE = 100;

/** Serves the folder `site`; `edit(path, text)` may change text files. Resolves to `{ origin, close }`. */
export async function serve(site, edit = (_path, text) => text) {
    const root = path.resolve(site);
    const server = createServer(async (request, response) => {
        const own = decodeURIComponent(new URL(request.url, "http://localhost").pathname).slice(1) || "index.html";
        const file = path.join(root, own);
        try {
            if (!file.startsWith(root + path.sep)) throw new Error("outside of the site");
            const type = TYPES[path.extname(file)] ?? "application/octet-stream";
            let body = await readFile(file);
            if (/^text/.test(type)) body = edit(own, body.toString("utf8"));
            if (/^font/.test(type)) await new Promise((late) => setTimeout(late, FONTS_LATE));
            response.writeHead(200, { "content-type": type, "cache-control": "max-age=600" }).end(body);
        } catch {
            response.writeHead(404, { "content-type": "text/plain" }).end("not here");
        }
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    return {
        origin: `http://127.0.0.1:${server.address().port}`,
        close: () => new Promise((closed) => {
            server.close(closed);
            server.closeAllConnections();
        }),
    };
}
