// Edits kernels in the built book as readers do: PTX by keyboard, with what is kept, compared and put back; what never ends; a plain
// text field where there is no editor; and CUDA C++ through the program that serves the book, where that can compile.
import { spawn } from "node:child_process";
import { access, readFile } from "node:fs/promises";
import path from "node:path";

import { endlessPtx } from "./endless.mjs";
import { orLater } from "./visit.mjs";

const FILE = "machine/threads.html";
const ID = "machine-threads-number";
/** The program that serves the book, from the repository's folder. */
const PROGRAM = "target/debug/warpbook";
const ENDLESS = endlessPtx("number_threads");

function demand(holds, what) {
    if (!holds) throw new Error(what);
}

/** Opens the page with the panel's editor, and calls `use(page, section)`. */
async function withEditor(browser, address, use, { width = 1280, theme = "light", touch = false, change = null } = {}) {
    const context = await browser.newContext({
        serviceWorkers: "block",
        viewport: { width, height: 844 }, colorScheme: theme, hasTouch: touch, isMobile: touch, reducedMotion: "reduce",
    });
    try {
        const page = await context.newPage();
        page.setDefaultTimeout(20_000);
        const errors = [];
        page.on("pageerror", (error) => errors.push(String(error.message ?? error)));
        // How a page compiles by itself is another test's business.
        await page.route("**/lab/compiler.js", (route) => route.fulfill({ contentType: "text/javascript", body: "window.wbCompiler = null;" }));
        if (change) await change(page);
        await page.goto(address, { waitUntil: "load" });
        await opened(page, touch);
        await use(page, page.locator(`#${ID}`));
        demand(errors.length === 0, errors.join("; "));
    } finally {
        await orLater(context.close());
    }
}

async function opened(page, touch = false) {
    const section = page.locator(`#${ID}`);
    await section.scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${ID}[data-state="ready"]`);
    const button = section.locator(".wb-panel-edit");
    await (touch ? button.tap() : button.click());
    await page.waitForFunction((own) => {
        const at = document.activeElement;
        return at.matches(".cm-content, textarea") && at.closest(`#${own}`);
    }, ID);
}

/** Runs what is edited, and waits for this end of it. */
async function run(page, state = "done") {
    await page.evaluate((own) => { document.getElementById(own).dataset.run = "asked"; }, ID);
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction((own) => ["done", "error", "stopped"].includes(document.getElementById(own).dataset.run), ID);
    const section = page.locator(`#${ID}`);
    const ended = await section.getAttribute("data-run");
    demand(ended === state, `it ended with ${ended}: ${await section.locator(".wb-panel-told").textContent()}`);
}

/** A row of the table: `[this run, of the book]`. */
const row = (page, counter) => page.locator(`#${ID} .wb-panel-told > .wb-table table`).first().evaluate((table, name) =>
    [...table.querySelectorAll("tbody tr")].find((own) => own.cells[0].textContent === name).textContent.slice(name.length), counter);

const replace = async (page, text) => {
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
};
const inEditor = (page) => page.evaluate(() => Boolean(document.activeElement.closest(".wb-edit-field")));
const text = (page) => page.evaluate((own) => {
    const panel = document.querySelector(`#${own} [role=tabpanel]:not([hidden])`);
    return panel.querySelector("textarea")?.value ?? [...panel.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n");
}, ID);

const TESTS = {
    async "PTX by keyboard"({ browser, origin }) {
        await withEditor(browser, `${origin}/${FILE}`, async (page, section) => {
            demand(await section.locator("[role=tab][aria-selected=true]").textContent() === "PTX", "a page that nobody serves opens CUDA C++");
            const original = await text(page);
            await run(page);
            demand(/^It leaves in every buffer/.test(await section.locator(".wb-panel-same").textContent()), "the same code leaves something else");
            // Before `ret;`, the line before the last one.
            for (const key of ["Control+End", "ArrowUp", "ArrowUp", "Home"]) await page.keyboard.press(key);
            await page.keyboard.insertText("add.s32 %r4, %r4, 1;\nst.global.u32 [%rd4], %r4;\n");
            await run(page);
            const counted = await row(page, "instructions of warps");
            demand(counted === "1210 ↑", `two instructions more are ${counted}`);
            demand(/something else .* argument 0 /.test(await section.locator(".wb-panel-same").textContent()), "another result is not told");
            demand(await section.locator(".wb-listing").first().isHidden(), "the listing is beside other code");
            await page.keyboard.press("Tab");
            demand(await inEditor(page), "Tab leaves the text");
            await page.keyboard.press("Escape");
            await page.keyboard.press("Tab");
            demand(!await inEditor(page), "Escape and Tab do not leave the text");
            await page.reload();
            await opened(page);
            demand((await text(page)).includes("add.s32"), "what was typed is forgotten");
            await section.locator(".wb-edit-reset").click();
            demand(await text(page) === original, "Reset does not bring the text back");
            await section.locator(".wb-panel-edit").click();
            await section.locator(".wb-panel-run").click();
            await page.waitForFunction((own) => document.getElementById(own).dataset.run === "done", ID);
            demand(await section.locator(".wb-panel-same").count() === 0, "the book's kernel is compared with itself");
        });
    },

    async "what is wrong, where it is, and what never ends"({ browser, origin }) {
        await withEditor(browser, `${origin}/${FILE}`, async (page, section) => {
            await replace(page, ENDLESS.replace("setp.ne", "setp.odd"));
            await run(page, "error");
            demand(/setp\.odd/.test(await section.locator(".wb-panel-fault").textContent()), "it is not said what is wrong");
            // Every thread writes to one place: a remark at its line.
            await replace(page, ENDLESS.replace("@%p1 bra $L;", "trap;"));
            await run(page);
            const first = await section.locator(".wb-edit-messages li").first().textContent();
            demand(/^line \d+ (finding|remark): \[/.test(first), `the finding's line: ${first}`);
            await section.locator(".wb-edit-messages button").first().click();
            demand(await inEditor(page), "a message does not lead to its line");
            await page.evaluate(() => window.wbLab.load("engine.js").then(() => {
                const { ask } = window.wbEngine;
                const ample = { predict: false, budget: 1e12, block_budget: 1e12 };
                window.wbEngine.ask = (request, more) => ask(request.op === "run" ? { ...request, ...ample } : request, more);
            }));
            await replace(page, ENDLESS);
            await page.keyboard.press("Control+Enter");
            await page.waitForFunction((own) => /running, [\d.]+ M/.test(document.querySelector(`#${own} .wb-panel-progress`).textContent), ID);
            await section.locator(".wb-panel-stop").click();
            await page.waitForFunction((own) => document.getElementById(own).dataset.run === "stopped", ID);
        });
    },

    async "a plain text field, by touch, and CUDA C++ that nobody compiles"({ browser, origin }) {
        const change = (page) => page.route("**/lab/editor.js", (route) => route.fulfill({ contentType: "text/javascript", body: "window.wbEditor = null;" }));
        await withEditor(browser, `${origin}/${FILE}`, async (page, section) => {
            await replace(page, (await text(page)).replace("ret;", "st.global.u32 [%rd4], %r4;\nret;"));
            await section.locator(".wb-panel-run").tap();
            await page.waitForFunction((own) => document.getElementById(own).dataset.run === "done", ID);
            const stores = await row(page, "global store instructions");
            demand(stores === "21 ↑", `a second store is ${stores}`);
            await section.locator("[role=tab]").first().tap();
            const note = await section.locator(".wb-edit-note").textContent();
            demand(/warpbook book serve/.test(note), `CUDA C++ says: ${note}`);
            demand(/__global__/.test(await text(page)), "there is no source");
            const small = await section.locator("button:visible").evaluateAll((all) =>
                all.filter((own) => own.getBoundingClientRect().height < 44).map((own) => own.textContent));
            demand(small.length === 0, `too small for a thumb: ${small.join(", ")}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 0, `the page is ${wide} px too wide`);
        }, { width: 390, touch: true, change });
    },
};

/** What is looked at only in the whole run: not where the pages are broken on purpose. */
const WHOLE = {
    async "a prediction is judged by the page alone"({ browser, origin, site }) {
        if (/^wbLab\.lacks/.test(await readFile(path.join(site, "lab/exercises.js"), "utf8"))) {
            console.error("not run: exercises judged in a page, because the book was built without the grader as WebAssembly");
            return;
        }
        const context = await browser.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
        try {
            const page = await context.newPage();
            page.setDefaultTimeout(60_000);
            await page.goto(`${origin}/exercises/machine.html`, { waitUntil: "load" });
            const asked = page.locator("#exercise-stride-costs");
            await asked.scrollIntoViewIfNeeded();
            await page.waitForSelector("#exercise-stride-costs[data-state=ready]");
            const inputs = asked.locator("input");
            for (let at = 0; at < await inputs.count(); at++) await inputs.nth(at).fill("1");
            await inputs.first().press("Enter");
            await asked.locator(".wb-exercise-passed").waitFor();
            const said = await asked.locator("pre").last().textContent();
            demand(/stride_costs/.test(said), `the answers are judged so: ${said}`);
            const kept = await page.evaluate(() => window.wbLab.store.get("exercise:stride_costs").progress);
            demand(/^first stride_costs \d+%/m.test(kept), `kept is: ${kept}`);
            // Whoever has no compiler hears what to do.
            const made = await page.evaluate(() => window.wbGrader.judge("block_sum", "x", { rejected: "block_sum.cu(1): error: no" }, ""));
            demand(made.ok?.passed === false && made.ok.lines[0].line === 1, `a text that is no CUDA: ${JSON.stringify(made)}`);
        } finally {
            await orLater(context.close());
        }
    },
    async "axe-core"({ browser, origin, axe }) {
        for (const [width, theme] of [[1280, "light"], [390, "dark"]]) {
            await withEditor(browser, `${origin}/${FILE}`, async (page) => {
                await replace(page, ENDLESS.replace("@%p1 bra $L;", "trap;"));
                await run(page);
                await page.evaluate(axe);
                // What belongs to another text than the one that is shown is pale on purpose.
                for (const part of [`#${ID}`, `#${ID} .wb-edit`]) {
                    const violations = await page.evaluate(async (own) => {
                        const found = await window.axe.run({ include: [own] }, { resultTypes: ["violations"] });
                        return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
                    }, part);
                    demand(violations.length === 0, `${width} px, ${theme}: ${violations.join("\n")}`);
                    await page.locator(`#${ID} [role=tab]`).first().click();
                }
            }, { width, theme });
        }
    },

    async "CUDA C++ through the program that serves the book"({ browser, site }) {
        if (!await access(PROGRAM).then(() => true, () => false)) {
            console.error(`not run: CUDA C++ edited in a browser, because ${PROGRAM} is not there`);
            return;
        }
        const server = await served(site);
        try {
            await withEditor(browser, `${server.origin}/${FILE}`, async (page, section) => {
                const original = await page.evaluate((own) => JSON.parse(document.querySelector(`#${own} script`).textContent).source, ID);
                const begun = await page.evaluate(() => window.wbLab.service.ask("compile", { name: "a.cu", source: "int x;\n" }));
                if (begun.error?.kind === "missing") {
                    console.error("not run: CUDA C++ edited in a browser, because there is no compiler");
                    return;
                }
                demand(await section.locator("[role=tab][aria-selected=true]").textContent() === "CUDA C++", "CUDA C++ is not opened");
                await run(page);
                demand(/^It leaves in every buffer/.test(await section.locator(".wb-panel-same").textContent()), "the part compiles to something else");
                const same = await row(page, "instructions of warps");
                demand(/^(\d+)\1$/.test(same), `the part of the source counts ${same}`);
                await replace(page, original.replace(/\}\s*$/, "nonsense;\n}\n"));
                await run(page, "error");
                const line = original.replace(/\}\s*$/, "").split("\n").length;
                const said = await section.locator(".wb-edit-messages li").first().textContent();
                demand(said.startsWith(`line ${line} error: `) && said.includes("nonsense"), `the compiler's message: ${said}`);
                await replace(page, original.replace(/\}\s*$/, "for (int i = 0; i < 3; i++) __syncthreads();\n}\n"));
                await run(page);
                const more = await row(page, "instructions of warps");
                demand(/↑$/.test(more), `three barriers more are ${more}`);
            });
            await exercises(browser, server.origin);
            const foreign = await fetch(`${server.origin}/warpbook/compile`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
            demand(foreign.status === 403, `a request of nobody's gets ${foreign.status}`);
        } finally {
            server.close();
        }
    },
};

/** A prediction and a kernel, judged in their page, and what is written down of them. */
async function exercises(browser, origin) {
    const context = await browser.newContext({ serviceWorkers: "block", viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", acceptDownloads: true });
    try {
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        await page.goto(`${origin}/exercises/machine.html`, { waitUntil: "load" });
        const [asked, made] = ["#exercise-stride-costs", "#exercise-block-sum"].map((id) => page.locator(id));
        await asked.scrollIntoViewIfNeeded();
        await page.waitForSelector("#exercise-stride-costs[data-state=ready]");
        const inputs = asked.locator("input");
        for (let at = 0; at < await inputs.count(); at++) await inputs.nth(at).fill("1");
        await inputs.first().press("Enter");
        await asked.locator(".wb-exercise-passed").waitFor();
        await made.scrollIntoViewIfNeeded();
        await page.waitForSelector("#exercise-block-sum[data-state=ready]");
        await made.locator("button").first().click();
        await made.locator(".cm-content, textarea").waitFor();
        await page.keyboard.press("Control+Enter");
        await made.locator(".wb-exercise-open").waitFor();
        const said = await made.locator("pre").last().textContent();
        demand(/block_sum: not yet/.test(said) && /expected/.test(said), `the starter is judged so: ${said}`);
        await page.locator("#progress-above").scrollIntoViewIfNeeded();
        const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#progress-above button").click()]);
        const written = await readFile(await file.path(), "utf8");
        demand(/^first stride_costs \d+%/m.test(written) && /^answer stride_costs [\w-]+: 1$/m.test(written), `the file has: ${written}`);
    } finally {
        await orLater(context.close());
    }
}

/** The built book behind the real server. */
async function served(site) {
    const child = spawn(PROGRAM, ["book", "serve", "--port", "0", "--site", path.resolve(site)], { stdio: ["ignore", "pipe", "inherit"] });
    const origin = await new Promise((found, failed) => {
        let said = "";
        child.stdout.on("data", (bytes) => {
            said += bytes;
            const address = said.match(/http:\/\/127\.0\.0\.1:\d+/);
            if (address) found(address[0]);
        });
        child.on("error", failed);
        child.on("exit", (code) => failed(new Error(`the server ended with ${code}: ${said}`)));
    });
    return { origin, close: () => child.kill() };
}

/** Runs all of it. `site` is the built book's folder; without it, what needs no server and no other tool. */
export async function editors({ browser, axe }, origin, site, names = []) {
    const found = [];
    if (site && /^wbLab\.lacks/.test(await readFile(path.join(site, "lab/sim.js"), "utf8"))) {
        console.error("not run: kernels edited in a browser, because the book was built without the simulator as WebAssembly");
        return found;
    }
    for (const [name, test] of Object.entries(site ? { ...TESTS, ...WHOLE } : TESTS)) {
        if (names.length > 0 && !names.includes(name)) continue;
        try {
            await test({ browser, axe, origin, site });
        } catch (error) {
            const look = { theme: "light", width: 1280 };
            found.push({ page: FILE, look, kind: "widget", where: `editors, ${name}`, what: String(error.message ?? error) });
        }
    }
    return found;
}
