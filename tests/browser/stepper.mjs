// Uses the steppers of the built book as readers do: by keyboard alone, by touch alone, by a link, as files, without JavaScript.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { orLater } from "./visit.mjs";

const SIDES = ["machine/divergence.html", "machine-divergence-sides-step"];
const WAITS = ["machine/barriers.html", "machine-barriers-uneven"];
const TILE = ["summed_area_table-tiles.html", "sat-transpose-step"];

function demand(holds, what) {
    if (!holds) throw new Error(what);
}

async function open(browser, address, { width = 1280, theme = "light", touch = false, script = true } = {}) {
    const context = await browser.newContext({
        serviceWorkers: "block",
        viewport: { width, height: 844 }, colorScheme: theme, hasTouch: touch, isMobile: touch, javaScriptEnabled: script,
        reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error.message ?? error)));
    await page.goto(address, { waitUntil: "load" });
    return { context, page, errors };
}

/** Waits until the stepper of this name can be used, and returns it. */
async function ready(page, id) {
    const section = page.locator(`#${id}`);
    await section.scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${id}[data-state]`);
    const state = await section.getAttribute("data-state");
    if (state !== "ready") throw new Error(`${id}: ${(await section.locator(".wb-lab-note").allTextContents()).join(" ")}`);
    return section;
}

/** Waits until it stands at a position that fits. */
const at = (page, id, fits) => page.waitForFunction(([own, wanted]) => {
    const section = document.getElementById(own);
    const shown = section.querySelector(".wb-step-t").textContent.match(/step ([\d,]+) of/);
    if (section.dataset.run === "error") throw new Error(section.querySelector(".wb-step-said").textContent);
    return shown && (wanted === null || Number(shown[1].replaceAll(",", "")) === wanted);
}, [id, fits]);

const position = (section) => section.locator("input[type=range]").inputValue().then(Number);

/** Everything that is told, as text. */
const told = async (section) => [
    await section.locator(".wb-step-said").textContent(), await section.locator(".wb-step-told").innerText(),
    await section.locator(".wb-step-marks").allTextContents(),
].join("\n");

/** Presses a key and waits until the position is another one. */
async function press(page, section, id, key) {
    const before = await position(section);
    await page.keyboard.press(key);
    await page.waitForFunction(([own, old]) => Number(document.querySelector(`#${own} input[type=range]`).value) !== old, [id, before]);
}

const TESTS = {
    async "ten steps on and ten back, by keyboard alone"({ browser, origin }) {
        const [file, id] = SIDES;
        const { context, page, errors } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await page.evaluate((own) => {
                const title = document.getElementById(`${own}-title`);
                title.tabIndex = -1;
                title.focus();
            }, id);
            await page.keyboard.press("Tab");
            await page.keyboard.press("Enter");
            await at(page, id, null);
            const texts = [await told(section)];
            for (let step = 0; step < 10; step++) {
                await press(page, section, id, ".");
                texts.push(await told(section));
            }
            demand(new Set(texts).size === texts.length, "two steps look alike");
            for (let step = 9; step >= 0; step--) {
                await press(page, section, id, ",");
                demand(await told(section) === texts[step], `back at step ${step}: ${await told(section)}\ninstead of\n${texts[step]}`);
            }
            // What was changed is in the address, and the page did not turn.
            await press(page, section, id, "End");
            await page.waitForFunction((own) => location.hash.includes(`${own}~t=`), id);
            demand(page.url().includes(file), "a key turned the page");
            await press(page, section, id, "Home");
            demand(/At the beginning/.test(await section.locator(".wb-step-said").textContent()), "Home is not the beginning");
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    async "a jump leads to where lanes diverge, and back"({ browser, origin }) {
        const [file, id] = SIDES;
        const { context, page } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await section.locator(".wb-step-start").click();
            await at(page, id, null);
            await page.keyboard.press("Home");
            await at(page, id, 0);
            await press(page, section, id, "n");
            demand(/the lanes diverge/.test(await section.locator(".wb-step-said").textContent()), "the jump leads elsewhere");
            await page.waitForFunction((own) => document.querySelectorAll(`#${own} .wb-step-path`).length === 2, id);
            const masks = await section.locator(".wb-step-mask").evaluateAll((all) => all.map((own) => own.querySelectorAll(".wb-step-on").length));
            demand(masks.join() === "16,16", `the masks have ${masks.join()} lanes`);
            demand(await section.locator(".wb-step-marks .wb-step-now").count() + await section.locator(".wb-step-marks .wb-step-also").count() > 0, "no line is marked");
            await press(page, section, id, "Backspace");
            demand(await position(section) === 0, "Backspace does not lead back");
        } finally {
            await orLater(context.close());
        }
    },

    async "who waits at the barrier, by touch alone on a phone"({ browser, origin }) {
        const [file, id] = WAITS;
        const { context, page } = await open(browser, `${origin}/${file}`, { width: 390, touch: true, theme: "dark" });
        try {
            const section = await ready(page, id);
            await section.locator(".wb-step-start").tap();
            await at(page, id, null);
            demand(/missing: 1, 2, 3/.test(await section.locator(".wb-step-waits").textContent()), await section.locator(".wb-step-waits").textContent());
            const before = await position(section);
            await section.getByRole("button", { name: "a step on" }).tap();
            await page.waitForFunction(([own, old]) => Number(document.querySelector(`#${own} input[type=range]`).value) > old, [id, before]);
            await section.locator(".wb-step-bar select").first().selectOption({ label: "warp 3" });
            await page.waitForFunction((own) => /Registers of warp 3/.test(document.querySelector(`#${own} .wb-step-told`).textContent), id);
            const small = await section.locator("button:visible, select:visible, input:visible").evaluateAll((all) =>
                all.filter((own) => own.getBoundingClientRect().height < 44).map((own) => own.outerHTML));
            demand(small.length === 0, `too small for a thumb: ${small.join(" ")}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 0, `the page is ${wide} px too wide`);
        } finally {
            await orLater(context.close());
        }
    },

    async "beside large numbers, what can be tapped stays within the widget; the line that runs is in its listing"({ browser, origin }) {
        for (const [file, id] of [TILE, SIDES]) {
            const { context, page } = await open(browser, `${origin}/${file}`, { width: 390, touch: true });
            try {
                const section = await ready(page, id);
                await section.locator(".wb-step-start").tap();
                await at(page, id, null);
                const outside = await section.locator("button:visible, select:visible, input:visible").evaluateAll((all) => all
                    .filter((own) => own.getBoundingClientRect().right > own.closest("section").getBoundingClientRect().right)
                    .map((own) => own.textContent.trim() || own.outerHTML));
                demand(outside.length === 0, `${id}: reaches beyond the widget: ${outside.join(", ")}`);
                for (let step = 0; step < 8; step++) {
                    const before = await position(section);
                    await section.getByRole("button", { name: "a step on" }).tap();
                    await page.waitForFunction(([own, old]) => Number(document.querySelector(`#${own} input[type=range]`).value) > old, [id, before]);
                    demand(await section.locator(".wb-step-marks .wb-step-now").count() > 0, `${id}: no line of the listing is marked: ${await section.locator(".wb-step-said").textContent()}`);
                }
            } finally {
                await orLater(context.close());
            }
        }
    },

    async "a position is an address, and nonsense changes nothing"({ browser, origin }) {
        const [file, id] = WAITS;
        const { context, page, errors } = await open(browser, `${origin}/${file}#${id}~t=40~warp=2~unit=line`);
        try {
            const section = await ready(page, id);
            await at(page, id, 40);
            demand(await section.locator(`#${id}-warp`).inputValue() === "0,2", "the warp is another one");
            demand(await section.locator(`#${id}-unit`).inputValue() === "line", "the unit is another one");
            for (const nonsense of ["~t=-1~warp=99999999~unit=none", "~~~=", "~t=%ff"]) {
                await page.goto(`${origin}/${file}?${Math.random()}#${id}${nonsense}`);
                await ready(page, id);
                await at(page, id, null);
            }
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    async "a worker that is ended is replaced"({ browser, origin }) {
        const [file, id] = WAITS;
        const { context, page } = await open(browser, `${origin}/${file}`);
        try {
            const section = await ready(page, id);
            await section.locator(".wb-step-start").click();
            await at(page, id, null);
            await press(page, section, id, ".");
            const before = await told(section);
            await page.evaluate(() => window.wbEngine.stop());
            await press(page, section, id, ".");
            await press(page, section, id, ",");
            demand(await told(section) === before, "the new session is at another place");
        } finally {
            await orLater(context.close());
        }
    },

    async "as files"({ browser, site }) {
        const [file, id] = WAITS;
        const { context, page } = await open(browser, pathToFileURL(path.resolve(site, file)).href);
        try {
            const section = await ready(page, id);
            await section.locator(".wb-step-start").click();
            await at(page, id, null);
        } finally {
            await orLater(context.close());
        }
    },

    async "without JavaScript"({ browser, origin }) {
        const [file, id] = WAITS;
        const { context, page } = await open(browser, `${origin}/${file}`, { script: false });
        try {
            const section = page.locator(`#${id}`);
            demand(await section.locator(".wb-listing").first().isVisible(), "there is no listing");
            demand(/waits at barrier 0/.test(await section.locator(".wb-step-still").innerText()), "it does not say who waits");
        } finally {
            await orLater(context.close());
        }
    },

    async "axe-core"({ browser, origin, axe }) {
        for (const [file, id] of [SIDES, WAITS]) {
            for (const [width, theme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
                const { context, page } = await open(browser, `${origin}/${file}`, { width, theme });
                try {
                    const section = await ready(page, id);
                    await section.locator(".wb-step-start").click();
                    await at(page, id, null);
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
export async function steppers({ browser, axe }, origin, site, names = []) {
    const found = [];
    // A book that was built where there is no Rust for WebAssembly: `.ci/wasm` has said so.
    if (/^wbLab\.lacks/.test(await readFile(path.join(site, "lab/sim.js"), "utf8"))) {
        console.error("not run: steppers in a browser, because the book was built without the simulator as WebAssembly");
        return found;
    }
    for (const [name, test] of Object.entries(TESTS)) {
        if (names.length > 0 && !names.some((own) => name.includes(own))) continue;
        try {
            await test({ browser, axe, origin, site });
        } catch (error) {
            const look = { theme: "light", width: 1280 };
            found.push({ page: SIDES[0], look, kind: "widget", where: `steppers, ${name}`, what: String(error.message ?? error) });
        }
    }
    return found;
}
