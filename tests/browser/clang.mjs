// Compiles CUDA C++ in the built book as readers do whom no program serves: the compiler is fetched once, by keyboard and by touch, and
// stopped; then without a network and without a server kernels are edited, compiled and run, their races found, their errors shown.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { serve } from "./server.mjs";
import { orLater } from "./visit.mjs";

const FILE = "machine/barriers.html";
const ID = "machine-barriers-overwritten";
/** The last statement of the loop over tiles: behind it a barrier is missing. */
const LAST = "sum += ta[y][k] * tb[k][x];";
const withMore = (text, statement) => text.replace(LAST, `${LAST}\n        ${statement}`);

function demand(holds, what) {
    if (!holds) throw new Error(what);
}

/** Opens the page in a context of its own, and the panel's editor. */
async function opened(context, address, touch = false) {
    const page = await context.newPage();
    page.setDefaultTimeout(40_000);
    await page.goto(address, { waitUntil: "load" });
    await edit(page, touch);
    return page;
}

async function edit(page, touch = false) {
    const section = page.locator(`#${ID}`);
    await section.scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${ID}[data-state="ready"]`);
    const button = section.locator(".wb-panel-edit");
    if (touch) await button.tap();
    else await button.press("Enter");
    await page.waitForFunction((own) => {
        const at = document.activeElement;
        return at.matches(".cm-content, textarea") && at.closest(`#${own}`);
    }, ID);
}

const fetched = (page) => page.locator(`#${ID} .wb-clang a`).filter({ hasText: "licences" }).and(page.locator(`#${ID} .wb-clang:not(:has(button)) a`)).waitFor();

/** Runs what is edited, and waits for this end of it; the milliseconds that it took. */
async function run(page, state, how = () => page.keyboard.press("Control+Enter")) {
    await page.evaluate((own) => { document.getElementById(own).dataset.run = "asked"; }, ID);
    const began = Date.now();
    await how();
    await page.waitForFunction((own) => ["done", "error", "stopped"].includes(document.getElementById(own).dataset.run), ID);
    const took = Date.now() - began;
    const section = page.locator(`#${ID}`);
    const ended = await section.getAttribute("data-run");
    demand(ended === state, `it ended with ${ended}: ${await section.locator(".wb-panel-told").textContent()}`);
    return took;
}

const findings = (page) => page.locator(`#${ID} .wb-panel-findings li`).allTextContents();
const row = (page, counter) => page.locator(`#${ID} .wb-panel-told > .wb-table table`).first().evaluate((table, name) =>
    [...table.querySelectorAll("tbody tr")].find((own) => own.cells[0].textContent === name).textContent.slice(name.length), counter);
const replace = async (page, text) => {
    await page.locator(`#${ID} .cm-content, #${ID} textarea`).first().focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
};
const original = (page) => page.evaluate((own) => JSON.parse(document.querySelector(`#${own} script`).textContent).source, ID);

const TESTS = {
    async "CUDA C++ by keyboard, without a network"({ browser, site }) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
        const server = await serve(site);
        try {
            const large = [];
            context.on("request", (request) => { if (request.url().includes("llvm.wasm")) large.push(request.url()); });
            const page = await opened(context, `${server.origin}/${FILE}`);
            const errors = [];
            page.on("pageerror", (error) => errors.push(String(error.message ?? error)));
            const section = page.locator(`#${ID}`);
            demand(await section.locator("[role=tab][aria-selected=true]").textContent() === "CUDA C++", "CUDA C++ is not opened");
            const button = section.locator(".wb-clang-fetch");
            const offer = await button.textContent();
            demand(/\(\d+\.\d MB, once\)/.test(offer), `how large it is, is not said: ${offer}`);
            await run(page, "error");
            demand(/fetch it/.test(await section.locator(".wb-panel-fault").textContent()), "it is not said that the compiler is to be fetched");
            demand(large.length === 0, "the compiler is fetched unasked");
            const text = await original(page);
            demand(text.includes(LAST), `the kernel has changed: ${text}`);
            await button.press("Enter");
            await fetched(page);
            demand(large.length === 1, `the compiler is fetched ${large.length} times`);
            await page.evaluate(() => navigator.serviceWorker.ready.then(() => window.wbLab.load("engine.js")).then(() => window.wbEngine.warm()));
            await page.waitForFunction(() => caches.open("wb-site").then((own) => own.match(location.href.replace(/#.*/, ""))));
            // From here on nothing answers.
            await server.close();
            await context.setOffline(true);
            await replace(page, `${text}\n`);
            const first = await run(page, "done");
            demand((await findings(page)).some((own) => own.includes("[race]")), "no race is found");
            const marked = await section.locator(".wb-edit-messages li").allTextContents();
            demand(marked.some((own) => /^line \d+ finding: \[race\]/.test(own)), `the race is not at its lines: ${marked}`);
            const before = await row(page, "barriers");
            await replace(page, withMore(text, "__syncthreads();"));
            const next = await run(page, "done");
            demand((await findings(page)).length === 0, `it is repaired, and found is: ${await findings(page)}`);
            const after = await row(page, "barriers");
            demand(/↑$/.test(after) && after !== before, `a barrier more in every round: ${before}, then ${after}`);
            await replace(page, withMore(text, "nonsense;"));
            await run(page, "error");
            const line = text.split("\n").findIndex((own) => own.includes(LAST)) + 2;
            const said = await section.locator(".wb-edit-messages li").first().textContent();
            demand(said.startsWith(`line ${line} error: `) && said.includes("nonsense"), `the compiler's message: ${said}`);
            await replace(page, withMore(text, "int ballot = __ballot(1);"));
            await run(page, "error");
            demand(/help: .*__ballot_sync/.test(await section.locator(".wb-panel-told").textContent()), "nothing helps with an error");
            await replace(page, withMore(text, "__syncthreads();"));
            await page.reload({ waitUntil: "load" });
            await edit(page);
            await fetched(page);
            await run(page, "done");
            demand((await findings(page)).length === 0, "after a reload it is not what was typed");
            demand(large.length === 1, "what is kept is fetched again");
            demand(errors.length === 0, errors.join("; "));
            console.error(`CUDA C++ in the page: first edit to first result ${(first / 1000).toFixed(1)} s, the next ${(next / 1000).toFixed(1)} s`);
        } finally {
            await orLater(context.close());
            await server.close();
        }
    },

    async "an exercise is solved in its page"({ browser, site }) {
        if (/^wbLab\.lacks/.test(await readFile(path.join(site, "lab/exercises.js"), "utf8"))) {
            console.error("not run: exercises solved in a page, because the book was built without the grader as WebAssembly");
            return;
        }
        const context = await browser.newContext({ serviceWorkers: "block", viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
        const server = await serve(site);
        try {
            const page = await context.newPage();
            page.setDefaultTimeout(60_000);
            await page.goto(`${server.origin}/exercises/machine.html`, { waitUntil: "load" });
            const made = page.locator("#exercise-block-sum");
            await made.scrollIntoViewIfNeeded();
            await page.waitForSelector("#exercise-block-sum[data-state=ready]");
            await made.locator("button").first().press("Enter");
            await made.locator(".cm-content, textarea").waitFor();
            await page.keyboard.press("Control+Enter");
            demand(/fetch it/.test(await made.locator(".wb-exercise-said").textContent()), "it is not said that the compiler is to be fetched");
            await made.locator(".wb-clang-fetch").press("Enter");
            await made.locator(".wb-clang:not(:has(button)) a").waitFor();
            const judged = async (sign) => {
                await made.locator(".cm-content, textarea").first().focus();
                await page.keyboard.press("Control+Enter");
                await made.locator(sign).waitFor();
                return made.locator(".wb-exercise-said pre").textContent();
            };
            const starter = await judged(".wb-exercise-open");
            demand(/block_sum: not yet/.test(starter) && /expected/.test(starter), `the starter is judged so: ${starter}`);
            const solution = await readFile(new URL("../../exercises/solutions/00_machine/block_sum.cu", import.meta.url), "utf8");
            await made.locator(".cm-content, textarea").first().focus();
            await page.keyboard.press("Control+A");
            await page.keyboard.insertText(solution);
            const passed = await judged(".wb-exercise-passed");
            demand(/block_sum/.test(passed), `the solution is judged so: ${passed}`);
            const kept = await page.evaluate(() => window.wbLab.store.get("exercise:block_sum").progress);
            demand(/^done block_sum/m.test(kept), `kept is: ${kept}`);
        } finally {
            await orLater(context.close());
            await server.close();
        }
    },

    async "as files, once the reader has chosen the compiler's file"({ browser, site }) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
        try {
            const page = await opened(context, pathToFileURL(path.resolve(site, FILE)).href);
            const section = page.locator(`#${ID}`);
            const said = await section.locator(".wb-clang").textContent();
            demand(/opened as a file/.test(said) && said.includes("lab/clang/llvm.wasm.gz"), `it says: ${said}`);
            await section.locator(".wb-clang-pick").setInputFiles(path.join(site, "index.html"));
            await section.locator(".wb-clang .wb-panel-fault").waitFor();
            await section.locator(".wb-clang-pick").setInputFiles(path.join(site, "lab/clang/llvm.wasm.gz"));
            await section.locator(".wb-clang:not(:has(input, progress)) a").waitFor();
            await run(page, "done", () => section.locator(".wb-panel-run").click());
            demand((await findings(page)).some((own) => own.includes("[race]")), "no race is found");
        } finally {
            await orLater(context.close());
        }
    },

    async "CUDA C++ by touch, stopped and begun again"({ browser, site }) {
        const context = await browser.newContext({
            serviceWorkers: "block", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, reducedMotion: "reduce", colorScheme: "dark",
        });
        const server = await serve(site);
        try {
            // The first time nothing comes, until it is stopped.
            let held = null;
            await context.route("**/llvm.wasm.gz?*", (route) => {
                if (held) return route.continue();
                return new Promise((go) => { held = go; }).then(() => route.abort().catch(() => {}));
            });
            const page = await opened(context, `${server.origin}/${FILE}`, true);
            const section = page.locator(`#${ID}`);
            await section.locator(".wb-clang-fetch").tap();
            await section.locator(".wb-clang progress").waitFor();
            await section.locator(".wb-clang button").tap();
            await section.locator(".wb-clang-fetch").waitFor();
            held?.();
            const small = await section.locator("button:visible").evaluateAll((all) =>
                all.filter((own) => own.getBoundingClientRect().height < 44).map((own) => own.textContent));
            demand(small.length === 0, `too small for a thumb: ${small.join(", ")}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 0, `the page is ${wide} px too wide`);
            await section.locator(".wb-clang-fetch").tap();
            await fetched(page);
            await run(page, "done", () => section.locator(".wb-panel-run").tap());
            demand((await findings(page)).some((own) => own.includes("[race]")), "no race is found");
        } finally {
            await orLater(context.close());
            await server.close();
        }
    },
};

/** Runs all of it. `site` is the built book's folder. */
export async function compilers({ browser, axe }, site) {
    const found = [];
    const lacks = [["sim", /^wbLab\.lacks/], ["compiler", /"lacks"/]];
    for (const [name, sign] of lacks) {
        if (!sign.test(await readFile(path.join(site, `lab/${name}.js`), "utf8").catch(() => '"lacks"wbLab.lacks'))) continue;
        console.error(`not run: CUDA C++ compiled in a page, because the book was built without ${name === "sim" ? "the simulator as WebAssembly" : "the compiler"}`);
        return found;
    }
    for (const [name, test] of Object.entries(TESTS)) {
        try {
            await test({ browser, axe, site });
        } catch (error) {
            found.push({ page: FILE, look: { theme: "light", width: 1280 }, kind: "widget", where: `compiler, ${name}`, what: String(error.message ?? error) });
        }
    }
    return found;
}
