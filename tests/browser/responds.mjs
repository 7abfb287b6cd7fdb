// How long the page takes from a reader's key, click or tap to the next picture while a simulation runs in a worker: at most
// 200 ms, the limit that browsers' makers call good (interaction to next paint). On the phone the processor is four times slower
// than on a desk.
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { endlessPtx } from "./endless.mjs";
import { orLater } from "./visit.mjs";

/** Milliseconds that an interaction may take. */
const MOST = 200;
/** How often each thing is done. What is judged is the middle one: another program on the machine delays some of them. */
const TIMES = 5;
/** How often all of it is tried where it was late, and how long is waited between: what else runs on the machine comes and goes. */
const TRIES = 6;
const PAUSE = 2000;
/** So many programs for each processor are too many: what is late then says nothing of the page. */
const CROWDED = 3;
/**
 * How much slower a phone is than a core of a desk's processor that does `labour` in so many milliseconds. A core that takes longer,
 * or that other programs share, is slowed down by less: else the phone would be as slow as the machine happens to be.
 */
const PHONE_RATE = 4;
const LABOUR = 48;

const key = (name, focus, pressed) => ({
    name: `${name} (${pressed})`,
    async act(page, section) {
        if (focus) await section.locator(focus).first().focus();
        await page.keyboard.press(pressed);
    },
});
const press = (name, find, settled = null) => ({
    name,
    async act(page, section, touch) {
        const own = find(section);
        await (touch ? own.tap() : own.click());
        if (settled) await page.waitForFunction(settled, await section.getAttribute("id"));
    },
});
/** A button that has nothing to do at an end of the rounds: then the figure is first taken to the other end. */
const turn = (name, other) => ({
    name,
    async act(_page, section) {
        const own = section.getByRole("button", { name });
        if (await own.getAttribute("aria-disabled") === "true") await section.locator("input[aria-label=Round]").press(other);
        await own.tap();
    },
});
const run = (id) => document.getElementById(id).dataset.run !== "running";

/** `[page, widget, what makes it ready, what is done with keys and a mouse, what is done by touch]`. */
const PLACES = [
    ["machine/banks.html", "machine-banks-strides", async (section) => {
        await section.getByText("Without a guess").click();
    }, [
        key("a slider", "#machine-banks-strides-stride", "ArrowRight"),
        key("the drawing", ".wb-lab-picture", "ArrowRight"),
        press("a lane", (section) => section.locator(".wb-lab-picture")),
    ], [
        press("more", (section) => section.getByLabel("stride in words: more")),
        press("a lane", (section) => section.locator(".wb-lab-picture")),
        press("the next lane", (section) => section.getByLabel("the next lane")),
    ]],
    ["machine/threads.html", "machine-threads-number", async () => {}, [
        key("a slider", "input[type=range]", "ArrowRight"),
        press("Run", (section) => section.locator(".wb-panel-run"), run),
        press("Edit", (section) => section.locator(".wb-panel-edit")),
    ], [
        press("a slider", (section) => section.locator("input[type=range]")),
        press("Run", (section) => section.locator(".wb-panel-run"), run),
        press("Edit", (section) => section.locator(".wb-panel-edit")),
    ]],
    ["machine/divergence.html", "machine-divergence-sides-step", async (section, page) => {
        await section.locator(".wb-step-start").click();
        await page.waitForSelector("#machine-divergence-sides-step .wb-step-bar:not([hidden])");
    }, [
        key("a step on", ".wb-step-bar button", "."),
        key("a step back", ".wb-step-bar button", ","),
        key("the next event", ".wb-step-bar button", "n"),
        key("the timeline", "input[type=range]", "ArrowLeft"),
        press("a step on", (section) => section.getByRole("button", { name: "a step on" })),
    ], [
        press("a step on", (section) => section.getByRole("button", { name: "a step on" })),
        press("a step back", (section) => section.getByRole("button", { name: "a step back" })),
        press("the next event", (section) => section.getByRole("button", { name: "the next event" })),
    ]],
    ["scan.html", "scan-tree", async () => {}, [
        key("a round on", ".wb-play-toggle", "."),
        key("a round back", ".wb-play-toggle", ","),
        key("the rounds' slider", "input[aria-label=Round]", "ArrowLeft"),
        key("a number", ".wb-play-change input[type=range]", "ArrowLeft"),
        press("Play and Pause", (section) => section.locator(".wb-play-toggle")),
    ], [
        turn("A round on", "Home"),
        turn("A round back", "End"),
        press("a number", (section) => section.locator(".wb-play-change input[type=range]").first()),
        press("Play and Pause", (section) => section.locator(".wb-play-toggle")),
    ]],
];

/** Runs in the page: notes how long the latest interaction took, as the browser measures it in steps of 8 ms. */
function watch() {
    window.wbLatest = 0;
    new PerformanceObserver((list) => {
        for (const { duration, interactionId } of list.getEntries()) {
            if (interactionId) window.wbLatest = Math.max(window.wbLatest, duration);
        }
    }).observe({ type: "event", durationThreshold: 16 });
}

/** Runs in the page: has a worker of its own simulate until the page is left. */
async function simulate(ptx) {
    await window.wbLab.load("engine.js");
    window.wbBusy = 0;
    window.wbWorker("sim").ask({
        op: "run", module: { name: "endless.ptx", ptx }, budget: 1e12, block_budget: 1e12,
        buffers: [{ name: "b", element: "u32", count: 1, content: "zeros" }],
        launches: [{ kernel: "endless", grid: [1], block: [32], args: [{ buffer: "b" }] }],
    }, { told: ({ progress }) => { window.wbBusy = progress.instructions; } });
}

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Runs in the page: how many milliseconds a fixed piece of work takes. */
function labour() {
    const began = performance.now();
    let value = 1;
    for (let step = 0; step < 40_000_000; step++) value = (Math.imul(value, 1664525) + 1013904223) | 0;
    window.wbValue = value;
    return performance.now() - began;
}

/** Makes the page as slow as on a phone. */
async function slowDown(page, session) {
    await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    const took = [];
    for (let time = 0; time < TIMES; time++) took.push(await page.evaluate(labour));
    const rate = Math.min(Math.max(PHONE_RATE * LABOUR / middle(took), 1), PHONE_RATE);
    await session.send("Emulation.setCPUThrottlingRate", { rate });
}

/** Milliseconds that each of some tries took: the middle, and the worst. On a phone there is a `session` to slow it down. */
async function measure(page, section, act, session) {
    if (session) await slowDown(page, session);
    const took = [];
    for (let time = 0; time < TIMES; time++) {
        await page.evaluate(() => { window.wbLatest = 0; });
        await act(page, section, session !== null);
        // The browser tells of an interaction once what follows it is drawn.
        await page.evaluate(() => new Promise((next) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(next, 60))); }));
        took.push(await page.evaluate(() => window.wbLatest));
    }
    return { middle: middle(took), worst: Math.max(...took) };
}

async function place({ browser, origin }, [file, id, prepare, keys, taps], touch) {
    const context = await browser.newContext({
        serviceWorkers: "block", reducedMotion: "reduce", hasTouch: touch, isMobile: touch,
        viewport: { width: touch ? 390 : 1280, height: 844 },
    });
    const told = [];
    try {
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        await page.goto(`${origin}/${file}`, { waitUntil: "load" });
        await page.evaluate(watch);
        const section = page.locator(`#${id}`);
        await section.scrollIntoViewIfNeeded();
        await page.waitForSelector(`#${id}[data-state=ready]`);
        await page.evaluate(simulate, endlessPtx("endless"));
        await prepare(section, page);
        await page.waitForFunction(() => window.wbBusy > 0);
        const session = touch ? await context.newCDPSession(page) : null;
        for (const { name, act } of touch ? taps : keys) {
            let took = await measure(page, section, act, session);
            for (let tries = 1; tries < TRIES && took.middle > MOST; tries++) {
                await page.waitForTimeout(PAUSE);
                const again = await measure(page, section, act, session);
                if (again.middle < took.middle) took = again;
            }
            told.push({ what: `${id}: ${name}`, ...took });
            // One that is late is enough: what makes it late mostly makes all of them late.
            if (took.middle > MOST) return told;
        }
        const before = await page.evaluate(() => window.wbBusy);
        await page.waitForFunction((old) => window.wbBusy > old, before).catch(() => {
            throw new Error("the simulation did not run meanwhile, so nothing was measured");
        });
    } finally {
        await orLater(context.close());
    }
    return told;
}

/**
 * Uses a widget of each kind while a simulation runs, or those that are named; returns findings as the looks at pages do. `site` is the
 * built book's folder.
 */
export async function responses({ browser }, origin, site, names = []) {
    const found = [];
    if (/^wbLab\.lacks/.test(await readFile(path.join(site, "lab/sim.js"), "utf8"))) {
        console.error("not run: how soon widgets answer while a simulation runs, because the book was built without the simulator as WebAssembly");
        return found;
    }
    for (const touch of [false, true]) {
        const look = { theme: "light", width: touch ? 390 : 1280 };
        const lines = [];
        for (const own of PLACES) {
            if (names.length > 0 && !names.includes(own[1])) continue;
            try {
                for (const { what, middle: took, worst } of await place({ browser, origin }, own, touch)) {
                    lines.push(`    ${what}: ${took < 16 ? "less than 16" : took} ms, at most ${worst} ms`);
                    const load = os.loadavg()[0] / os.availableParallelism();
                    if (took > MOST && load > CROWDED) {
                        console.error(`not run: how soon ${what} answers, because ${load.toFixed(1)} programs want each processor of this machine`);
                    } else if (took > MOST) found.push({ page: own[0], look, kind: "slow", where: what, what: `it takes ${took} ms to the next picture; at most ${MOST} are allowed` });
                }
            } catch (error) {
                found.push({ page: own[0], look, kind: "slow", where: own[1], what: `it cannot be measured: ${error.message ?? error}` });
            }
        }
        console.log(`from an interaction to the next picture while a simulation runs, ${touch ? `phone, ${PHONE_RATE} times slower` : "desk"}:\n${lines.join("\n")}`);
    }
    return found;
}
