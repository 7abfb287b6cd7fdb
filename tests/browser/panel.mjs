// Uses the kernel panels of the built book as readers do: by keyboard alone, by touch alone, by a link, as files, without
// JavaScript; stops what never ends, and goes on after a worker was killed.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { endlessPtx } from "./endless.mjs";
import { orLater } from "./visit.mjs";

const THREADS = ["machine/threads.html", "machine-threads-number"];
const RACE = ["machine/barriers.html", "machine-barriers-overwritten"];
const ORDERS = ["compaction.html", "compaction-atomics"];
const PICTURES = ["histogram.html", "histogram-images"];
/** Pages with panels, with the panel of each. */
const PANELS = [
    THREADS, RACE, PICTURES, ["machine/banks.html", "machine-banks-stride-read"], ["reduction.html", "reduction-modulo-strided"],
    ["scan-padding.html", "scan-tiles"], ["compaction.html", "compaction-atomics"],
];

function demand(holds, what) {
    if (!holds) throw new Error(what);
}

async function open(browser, address, { width = 1280, theme = "light", touch = false, script = true, change = null } = {}) {
    const context = await browser.newContext({
        serviceWorkers: "block",
        viewport: { width, height: 844 }, colorScheme: theme, hasTouch: touch, isMobile: touch, javaScriptEnabled: script,
        reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error.message ?? error)));
    if (change) {
        await page.route(address, async (route) => {
            const response = await route.fetch();
            await route.fulfill({ response, body: change(await response.text()) });
        });
    }
    await page.goto(address, { waitUntil: "load" });
    return { context, page, errors };
}

/** Waits until the panel of this name can be used, and returns it. */
async function ready(page, id) {
    const section = page.locator(`#${id}`);
    await page.evaluate((own) => {
        for (let node = document.getElementById(own); node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    }, id);
    await section.scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${id}[data-state]`);
    const state = await section.getAttribute("data-state");
    if (state !== "ready") throw new Error(`${id}: ${(await section.locator(".wb-lab-note").allTextContents()).join(" ")}`);
    return section;
}

async function ended(page, id, state = "done") {
    await page.waitForFunction(([own, wanted]) => {
        const run = document.getElementById(own).dataset.run;
        return run === wanted || (run === "error" && wanted !== "error");
    }, [id, state]);
    const section = page.locator(`#${id}`);
    if (await section.getAttribute("data-run") !== state) throw new Error(`${id}: ${await section.locator(".wb-panel-told").textContent()}`);
    return section;
}

/** A row of the table, as `{ head: cell }`. */
const row = (section, counter) => section.locator(".wb-panel-told > .wb-table table").first().evaluate((table, name) => {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
    const own = [...table.querySelectorAll("tbody tr")].find((line) => line.cells[0].textContent === name);
    return own ? Object.fromEntries([...own.cells].map((cell, at) => [heads[at], cell.textContent])) : null;
}, counter);

/** Runs in the page: notes the latest of what keys took, as the browser tells it, and when Stop was pressed and the run stopped. */
function watchStop(id) {
    const section = document.getElementById(id);
    window.wbLate = 0;
    new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.wbLate = Math.max(window.wbLate, duration);
    }).observe({ type: "event", durationThreshold: 16 });
    section.querySelector(".wb-panel-stop").addEventListener("click", (event) => { window.wbPressed = event.timeStamp; }, { capture: true });
    new MutationObserver(() => {
        if (section.dataset.run === "stopped") window.wbStopped = performance.now();
    }).observe(section, { attributes: true, attributeFilter: ["data-run"] });
}

/** Milliseconds that a key takes at most while an endless kernel runs, and that Stop takes to end it. */
async function stopAfterTabs(page, section, id) {
    await section.locator(".wb-panel-run").click();
    await page.waitForFunction((own) => /running, [\d.]+ M/.test(document.querySelector(`#${own} .wb-panel-progress`).textContent), id);
    await page.evaluate(() => { window.wbLate = 0; });
    for (let press = 0; press < 10; press++) await page.keyboard.press("Tab");
    await page.waitForTimeout(300);
    const key = await page.evaluate(() => window.wbLate);
    await section.locator(".wb-panel-stop").click();
    await ended(page, id, "stopped");
    return { key, stop: await page.evaluate(() => window.wbStopped - window.wbPressed) };
}

const prompt = ({ key, stop }) => key < 200 && stop < 1000;

async function reach(page, selector) {
    for (let presses = 0; presses < 80; presses++) {
        if (await page.evaluate((own) => document.activeElement.matches(own), selector)) return;
        await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not reach ${selector}`);
}

const focusTitle = (page, id) => page.evaluate((own) => {
    const title = document.getElementById(`${own}-title`);
    title.tabIndex = -1;
    title.focus();
}, id);

/** The page with a panel that runs a kernel that never ends. */
function endless(html, id) {
    const open = '<script type="application/json">';
    const from = html.indexOf(open, html.indexOf(`id="${id}"`)) + open.length;
    const to = html.indexOf("</script>", from);
    const state = JSON.parse(html.slice(from, to));
    const [setup] = state.setups;
    state.ptx = endlessPtx(setup.kernel);
    setup.launches = [{ kernel: setup.kernel, grid: [1], block: [32], args: [{ buffer: setup.buffers[0].name }] }];
    state.setups = [setup];
    return html.slice(0, from) + JSON.stringify(state).replaceAll("<", "\\u003c") + html.slice(to);
}

const TESTS = {
    async "by keyboard alone"({ browser, origin }) {
        const [file, id] = THREADS;
        const { context, page, errors } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await focusTitle(page, id);
            await reach(page, `#${id}-n-threads`);
            await page.keyboard.press("Control+A");
            await page.keyboard.type("33");
            await page.keyboard.press("Enter");
            await ended(page, id);
            const one = await row(section, "instructions of lanes");
            await reach(page, ".wb-panel-run");
            // Between the number and the button the orders are chosen.
            await page.keyboard.press("Shift+Tab");
            await page.keyboard.press("Shift+Tab");
            await page.keyboard.press("Control+A");
            await page.keyboard.type("64");
            await page.keyboard.press("Control+Enter");
            await page.waitForFunction((own) => document.querySelector(`#${own} caption`)?.textContent.includes("threads 64"), id);
            const warps = await row(section, "instructions of warps");
            demand(warps["this run"] === warps.before, `33 threads cost ${warps.before}, and 64 ${warps["this run"]}`);
            demand((await row(section, "instructions of lanes"))["this run"] !== one["this run"], "the lanes' instructions are equal");
            demand(/: none/.test(await section.locator(".wb-panel-clean").textContent()), "there are findings");
            await page.waitForFunction((own) => location.hash.includes(`${own}~n-threads=64`), id);
            await page.waitForFunction((own) => /Done in/.test(document.querySelector(`#${own} [role=status]`).textContent), id);
            demand(await section.locator(".wb-heat span").filter({ hasText: /[0-9]/ }).count() > 0, "no line has a number");
            await page.keyboard.press("Tab");
            await page.keyboard.press("Tab");
            await page.keyboard.press("r");
            demand(await section.locator(`#${id}-n-threads`).inputValue() === "32", "r does not go back");
            demand(page.url().includes(file), "a key turned the page");
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    async "by touch alone, on a phone"({ browser, origin }) {
        const [file, id] = THREADS;
        const { context, page } = await open(browser, `${origin}/${file}`, { width: 390, touch: true, theme: "dark" });
        try {
            const section = await ready(page, id);
            await section.locator(".wb-panel-run").tap();
            await ended(page, id);
            await section.locator("input[type=range]").tap({ position: { x: 150, y: 22 } });
            demand(await section.getAttribute("data-stale") === "yes", "results of another launch are not marked");
            await section.locator(".wb-panel-run").tap();
            await page.waitForFunction((own) => !document.getElementById(own).dataset.stale, id);
            const small = await section.locator("button:visible, select:visible, input:visible").evaluateAll((all) =>
                all.filter((own) => own.getBoundingClientRect().height < 44).map((own) => own.outerHTML));
            demand(small.length === 0, `too small for a thumb: ${small.join(" ")}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 0, `the page is ${wide} px too wide`);
        } finally {
            await orLater(context.close());
        }
    },

    /** Blocks that ask a counter for places get them in the order in which they run: several orders, then one of them alone. */
    async "several orders leave different results, and one of them is run alone"({ browser, origin }) {
        const [file, id] = ORDERS;
        const { context, page, errors } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await section.locator(`#${id}-orders`).selectOption("8");
            await section.locator(".wb-panel-run").click();
            await ended(page, id);
            const text = await section.locator(".wb-panel-orders").textContent();
            demand(/The result depends on the order: from byte [\d,]+ on, argument \d is not the same/.test(text), text);
            const again = section.locator(".wb-panel-orders button").first();
            const seed = (await again.textContent()).match(/\d+/)[0];
            await again.click();
            await page.waitForFunction(([own, order]) => document.querySelector(`#${own} caption`)?.textContent.includes(`order ${order}`), [id, seed]);
            demand(!/1 order/.test(await section.locator("caption").first().textContent()) || seed === "1", "another order was run");
            await page.waitForFunction((order) => location.hash.includes(`order=${order}`), seed);
            await section.locator(".wb-panel-orders button").filter({ hasText: "Back to order 0" }).click();
            await page.waitForFunction((own) => !document.querySelector(`#${own} caption`).textContent.split(";")[0].includes("order"), id);
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    async "a race is found, and its two lines are marked"({ browser, origin }) {
        const [file, id] = RACE;
        const { context, page } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await section.locator(".wb-panel-run").click();
            await ended(page, id);
            const found = await section.locator(".wb-panel-findings li").first().textContent();
            demand(/^finding \[race\], line \d+ \(A\) and line \d+ \(B\)/.test(found), found);
            const marks = await section.locator(".wb-heat-found").allTextContents();
            demand(/A/.test(marks.join("")) && /B/.test(marks.join("")), `the marks are ${marks.join(",")}`);
        } finally {
            await orLater(context.close());
        }
    },

    async "data are switched, and only what is recorded has a record"({ browser, origin }) {
        const [file, id] = PICTURES;
        const { context, page } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await section.locator(".wb-panel-run").click();
            await ended(page, id);
            const first = await row(section, "shared atomic wavefronts");
            demand(first.H200 === `≡ ${first["this run"]}`, `recorded: ${JSON.stringify(first)}`);
            await section.locator(`#${id}-data`).selectOption("eight values in one bank");
            await section.locator(".wb-panel-run").click();
            await page.waitForFunction((own) => document.querySelector(`#${own} caption`).textContent.includes("one bank: simulated"), id);
            const second = await row(section, "shared atomic wavefronts");
            demand(second.H200 === `≡ ${second["this run"]}` && second["this run"] !== first["this run"], JSON.stringify(second));
            await section.locator(`#${id}-data`).selectOption("Zipf's law");
            await section.locator(".wb-panel-run").click();
            await page.waitForFunction((own) => document.querySelector(`#${own} caption`).textContent.includes("Zipf's law: simulated"), id);
            const third = await row(section, "shared atomic wavefronts");
            demand(!("H200" in third), "a launch that no GPU has recorded has a record");
            const seed = section.locator(`#${id}-seed`);
            await seed.fill("");
            await seed.press("Enter");
            demand(await section.locator(".wb-panel-wrong").isVisible(), "an empty number is not complained of");
        } finally {
            await orLater(context.close());
        }
    },

    async "every panel runs, and equals its record"({ browser, origin }) {
        for (const [file, id] of PANELS) {
            const { context, page, errors } = await open(browser, `${origin}/${file}`);
            try {
                const section = await ready(page, id);
                await section.locator(".wb-panel-run").click();
                await ended(page, id);
                const cells = await section.locator(".wb-panel-told > .wb-table tbody").first().textContent();
                demand(!/≠ \d/.test(cells), `${id}: ${cells}`);
                demand(await section.locator(".wb-panel-time").count() === 1, `${id} has no predicted time`);
                demand(errors.length === 0, errors.join("; "));
            } finally {
                await orLater(context.close());
            }
        }
    },

    async "what never ends is stopped, and the page answers meanwhile"({ browser, origin }) {
        const [file, id] = THREADS;
        const { context, page } = await open(browser, `${origin}/${file}`, { change: (html) => endless(html, id) });
        try {
            const section = await ready(page, id);
            // It must not end by its budget while this looks at it.
            await page.evaluate(() => window.wbLab.load("engine.js").then(() => {
                const { ask } = window.wbEngine;
                const ample = { predict: false, budget: 1e12, block_budget: 1e12 };
                window.wbEngine.ask = (request, more) => ask(request.op === "run" ? { ...request, ...ample } : request, more);
            }));
            await page.evaluate(watchStop, id);
            // Other pages are looked at beside this one, and may hold its threads up: what the page itself takes is the least.
            let took = await stopAfterTabs(page, section, id);
            for (let tries = 1; tries < 5 && !prompt(took); tries++) {
                await page.waitForTimeout(2000);
                const again = await stopAfterTabs(page, section, id);
                took = { key: Math.min(took.key, again.key), stop: Math.min(took.stop, again.stop) };
            }
            demand(prompt(took), `a key takes at least ${took.key} ms, and Stop ${Math.round(took.stop)} ms`);
            demand(/Stopped at/.test(await section.locator(".wb-panel-note").textContent()), "it does not say where it stopped");
            const answer = await page.evaluate(() => window.wbEngine.ask({ op: "hello" }));
            demand(answer.ok?.protocol === 1, `the next engine says ${JSON.stringify(answer)}`);
        } finally {
            await orLater(context.close());
        }
    },

    async "a worker that is killed is replaced"({ browser, origin }) {
        const [file, id] = THREADS;
        const { context, page } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await page.evaluate(() => window.wbLab.load("engine.js").then(() => {
                window.wbEngine.patience = 1500;
                const { ask } = window.wbEngine;
                window.wbEngine.ask = (request, more) => {
                    const answer = ask(request, more);
                    // Only the first time, and without a word, as a browser that lacks memory does it.
                    window.wbEngine.worker.terminate();
                    window.wbEngine.ask = ask;
                    return answer;
                };
            }));
            await section.locator(".wb-panel-run").click();
            await ended(page, id, "error");
            const text = await section.locator(".wb-panel-fault textarea").inputValue();
            demand(/fault of Warpbook/.test(text) && /browser: /.test(text), text);
            await section.locator(".wb-panel-run").click();
            await ended(page, id);
        } finally {
            await orLater(context.close());
        }
    },

    async "a module that traps is our fault, and goes on"({ browser, origin }) {
        const [file, id] = THREADS;
        const { context, page } = await open(browser, `${origin}/${file}`);
        try {
            await ready(page, id);
            const answers = await page.evaluate(async () => {
                await window.wbLab.load("engine.js");
                // More memory than a module can have.
                const buffers = [{ name: "b", element: "u8", count: 4e9, content: { fill: 1 } }];
                const module = { name: "k.ptx", ptx: ".version 8.0\n.target sm_80\n" };
                const crash = await window.wbEngine.ask({ op: "run", module, buffers, launches: [], memory: 5e9 });
                return [crash, await window.wbEngine.ask({ op: "hello" })];
            });
            demand(answers[0].error?.kind === "internal", JSON.stringify(answers[0]));
            demand(answers[1].ok?.protocol === 1, JSON.stringify(answers[1]));
        } finally {
            await orLater(context.close());
        }
    },

    async "a link restores a launch, and nonsense changes nothing"({ browser, origin }) {
        const [file, id] = PICTURES;
        const { context, page, errors } = await open(browser, `${origin}/${file}#${id}~kernel=histogram_global~data=sorted~seed=7`);
        try {
            const section = await ready(page, id);
            const values = await section.locator("select, input[type=number]").evaluateAll((all) => all.map((own) => own.value));
            demand(values.slice(0, 3).join() === "histogram_global,sorted,7", `restored: ${values.join()}`);
            demand(await section.getAttribute("data-run") === "idle", "a link runs by itself");
            for (const nonsense of ["~kernel=none~seed=-1~data=%ff", "~~~=", "~heat=x~n-threads=9"]) {
                await page.goto(`${origin}/${file}?${Math.random()}#${id}${nonsense}`);
                const own = await ready(page, id);
                const kept = await own.locator("select, input[type=number]").evaluateAll((all) => all.map((one) => one.value));
                demand(kept.slice(0, 3).join() === "histogram_block,uniform,0", `${nonsense}: ${kept.join()}`);
            }
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    async "as files"({ browser, site }) {
        const [file, id] = THREADS;
        const { context, page } = await open(browser, pathToFileURL(path.resolve(site, file)).href);
        try {
            const section = await ready(page, id);
            await section.locator(".wb-panel-run").click();
            await ended(page, id);
        } finally {
            await orLater(context.close());
        }
    },

    async "without JavaScript"({ browser, origin }) {
        const [file, id] = PICTURES;
        const { context, page } = await open(browser, `${origin}/${file}`, { script: false });
        try {
            const section = page.locator(`#${id}`);
            demand(await section.locator(".wb-listing").first().isVisible(), "there is no listing");
            demand(/≡|[0-9]/.test(await section.locator(".wb-table").first().innerText()), "there are no counters");
        } finally {
            await orLater(context.close());
        }
    },

    async "axe-core"({ browser, origin, axe }) {
        for (const [file, id] of [THREADS, RACE, PICTURES]) {
            for (const [width, theme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
                const { context, page } = await open(browser, `${origin}/${file}`, { width, theme });
                try {
                    const section = await ready(page, id);
                    await section.locator(".wb-panel-run").click();
                    await ended(page, id);
                    await page.evaluate(() => document.querySelectorAll(".wb-panel details").forEach((own) => { own.open = true; }));
                    await page.evaluate(axe);
                    const violations = await page.evaluate(async (own) => {
                        const found = await window.axe.run({ include: [`#${own}`] }, { resultTypes: ["violations"] });
                        return found.violations.flatMap(({ id: rule, nodes }) => nodes.map((node) => `${rule}: ${node.html.slice(0, 160)}`));
                    }, id);
                    demand(violations.length === 0, `${file}, ${width} px, ${theme}: ${violations.join("\n")}`);
                } finally {
                    await orLater(context.close());
                }
            }
        }
    },
};

/** Runs all of it, or the tests of these names; returns findings as the looks at pages do. `site` is the built book's folder. */
export async function panels({ browser, axe }, origin, site, names = []) {
    const found = [];
    // A book that was built where there is no Rust for WebAssembly: `.ci/wasm` has said so.
    if (/^wbLab\.lacks/.test(await readFile(path.join(site, "lab/sim.js"), "utf8"))) {
        console.error("not run: kernel panels in a browser, because the book was built without the simulator as WebAssembly");
        return found;
    }
    for (const [name, test] of Object.entries(TESTS)) {
        if (names.length > 0 && !names.some((own) => name.includes(own))) continue;
        try {
            await test({ browser, axe, origin, site });
        } catch (error) {
            const look = { theme: "light", width: 1280 };
            found.push({ page: THREADS[0], look, kind: "widget", where: `kernel panels, ${name}`, what: String(error.message ?? error) });
        }
    }
    return found;
}
