// Uses the figures that play as readers do: by keyboard alone, by touch alone, by a link, with and without motion, without
// JavaScript.
import { orLater } from "./visit.mjs";

/** The page on which it is done. */
export const PLAYED = "scan.html";
const PAGE = PLAYED;
const ID = "scan-tree";
const WAVES = ["summed_area_table-one-pass.html", "sat-waves"];

function demand(holds, what) {
    if (!holds) throw new Error(what);
}

async function open(browser, address, { width = 1280, theme = "light", touch = false, script = true, motion = "no-preference" } = {}) {
    const context = await browser.newContext({
        viewport: { width, height: 844 }, colorScheme: theme, hasTouch: touch, isMobile: touch, javaScriptEnabled: script,
        reducedMotion: motion,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(address, { waitUntil: "load" });
    return { context, page };
}

async function ready(page) {
    const section = page.locator(`#${ID}`);
    await section.scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${ID}[data-state]`);
    demand(await section.getAttribute("data-state") === "ready", "the figure cannot be played");
    return section;
}

const round = (section) => section.locator("input[aria-label=Round]").inputValue().then(Number);
const said = (section) => section.locator(".wb-play-said").textContent();
const values = (section) => section.locator(".wb-play-stage text.wb-svg-lane").allTextContents();
const playing = (section) => section.evaluate((own) => "playing" in own.dataset);
const until = (page, wanted) => page.waitForFunction(([id, own]) =>
    Number(document.querySelector(`#${id} input[aria-label=Round]`).value) === own, [ID, wanted]);

/** Pages with figures whose data readers change. */
const CHANGED = [PAGE, "reduction.html", "compaction.html", "histogram.html", "histogram-copies.html", "sort-counting.html", "summed_area_table.html", WAVES[0]];

/** Waits until what was changed last is drawn. */
const drawnAnew = (page, id) => page.waitForFunction((own) => {
    const section = document.getElementById(own);
    const wrong = section.querySelector(".wb-play-change .wb-lab-wrong").textContent;
    if (wrong) throw new Error(wrong);
    return section.dataset.run === "done" && !("stale" in section.dataset);
}, id);

/** Does something that changes a figure, and waits for its drawings. */
async function changing(page, id, act) {
    await page.evaluate((own) => { document.getElementById(own).dataset.run = "asked"; }, id);
    await act();
    await drawnAnew(page, id);
}

const TESTS = {
    async "numbers and data are changed, and what is drawn is another run"({ browser, origin }) {
        const { context, page } = await open(browser, `${origin}/${PAGE}`);
        try {
            const section = await ready(page);
            const before = [await said(section), await values(section)].join();
            const data = section.locator(`#${ID}-data`);
            await changing(page, ID, () => data.selectOption("all ones"));
            const last = () => section.locator("input[aria-label=Round]").getAttribute("max").then(Number);
            const rounds = await last();
            await section.locator("button", { hasText: "Play" }).focus();
            await page.keyboard.press("End");
            const ones = (await values(section)).slice(-16);
            demand(ones.join() === [...Array(16).keys()].join(), `the scan of ones is ${ones.join()}`);
            await changing(page, ID, () => section.locator(`#${ID}-n-levels`).press("ArrowLeft"));
            demand(await last() === rounds - 2, `eight elements take ${await last()} rounds, and sixteen ${rounds}`);
            await page.waitForFunction((own) => location.hash.includes(`${own}~`) && location.hash.includes("n-levels=3") && location.hash.includes("data=all"), ID);
            // Numbers of one's own, and what is none.
            await changing(page, ID, async () => {
                await data.selectOption("your own numbers");
                await section.locator(`#${ID}-own`).fill("5 0 0 0 0 0 0 0");
            });
            await section.locator("button", { hasText: "Play" }).focus();
            await page.keyboard.press("End");
            demand((await values(section)).slice(-8).join() === "0,5,5,5,5,5,5,5", `own numbers give ${(await values(section)).slice(-8)}`);
            await section.locator(`#${ID}-own`).fill("5 five");
            await page.waitForFunction((own) => document.querySelector(`#${own} .wb-lab-wrong`).textContent.includes("“five” is no number"), ID);
            await page.goto(`${origin}/${PAGE}?again#${ID}~n-levels=3~data=all%20ones~round=2`);
            await ready(page);
            await drawnAnew(page, ID);
            demand(await round(section) === 2 && await last() === rounds - 2, "an address does not restore what was changed");
            await changing(page, ID, async () => {
                await data.selectOption("as printed");
                await section.locator(`#${ID}-n-levels`).press("ArrowRight");
            });
            demand([await said(section), await values(section)].join() === before, "the first data are drawn in another way than they were");
        } finally {
            await orLater(context.close());
        }
    },

    async "the page draws what the book was built with, byte for byte"({ browser, origin }) {
        let figures = 0;
        for (const file of CHANGED) {
            const { context, page } = await open(browser, `${origin}/${file}`);
            try {
                const different = await page.evaluate(async () => {
                    await window.wbLab.load("engine.js");
                    const worker = window.wbWorker("rounds");
                    const told = [];
                    for (const section of document.querySelectorAll("section.wb-play")) {
                        const { frames, said, change } = JSON.parse(section.querySelector("script[type='application/json']").textContent);
                        if (!change) continue;
                        const answer = await worker.ask({ op: "play", ...change.request });
                        const same = JSON.stringify([answer.ok?.frames, answer.ok?.said]) === JSON.stringify([frames, said]);
                        told.push([section.id, same ? "" : answer.error?.message ?? "another drawing"]);
                    }
                    return told;
                });
                figures += different.length;
                for (const [id, why] of different) demand(why === "", `${file}, ${id}: ${why}`);
            } finally {
                await orLater(context.close());
            }
        }
        demand(figures >= CHANGED.length, `only ${figures} figures can be changed`);
    },

    async "tiles are written diagonal by diagonal, in every order of threads, by touch on a phone"({ browser, origin }) {
        const [file, id] = WAVES;
        const { context, page } = await open(browser, `${origin}/${file}`, { width: 390, touch: true, theme: "dark" });
        try {
            const section = page.locator(`#${id}`);
            await section.scrollIntoViewIfNeeded();
            await page.waitForSelector(`#${id}[data-state=ready]`);
            const waves = () => section.locator("input[aria-label=Round]").getAttribute("max").then(Number);
            const all = () => section.locator("ol li").allTextContents();
            demand(await waves() === 7, `four by four tiles take ${await waves()} waves`);
            const before = await all();
            await changing(page, id, () => section.locator(`#${id}-n-order`).fill("3"));
            demand(await waves() === 7 && (await all()).join() !== before.join(), "another order is the same run");
            await changing(page, id, () => section.locator(`#${id}-n-tiles_down`).fill("2"));
            demand(await waves() === 5, `four by two tiles take ${await waves()} waves`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 0, `the page is ${wide} px too wide`);
        } finally {
            await orLater(context.close());
        }
    },

    async "every round forwards and back, by keyboard alone"({ browser, origin }) {
        const { context, page } = await open(browser, `${origin}/${PAGE}`);
        try {
            const section = await ready(page);
            await section.evaluate((own) => {
                const title = document.getElementById(own.getAttribute("aria-labelledby"));
                title.tabIndex = -1;
                title.focus();
            });
            const key = await round(section);
            await page.keyboard.press("Tab");
            await page.keyboard.press("Home");
            demand(await round(section) === 0, "Home is not the beginning");
            const last = Number(await section.locator("input[aria-label=Round]").getAttribute("max"));
            const seen = [[await said(section), await values(section)].join()];
            for (let step = 1; step <= last; step++) {
                await page.keyboard.press(".");
                demand(await round(section) === step, `. does not lead to round ${step}`);
                seen.push([await said(section), await values(section)].join());
            }
            demand(new Set(seen).size === seen.length, "two rounds look alike");
            for (let step = last - 1; step >= 0; step--) {
                await page.keyboard.press(",");
                demand([await said(section), await values(section)].join() === seen[step], `round ${step} is another one on the way back`);
            }
            // Arrows are the slider's, and turn no page.
            await section.locator("input[aria-label=Round]").focus();
            await page.keyboard.press("ArrowRight");
            demand(await round(section) === 1 && page.url().includes(PAGE), "an arrow on the slider is no round");
            await page.keyboard.press("r");
            demand(await round(section) === key, "r does not lead back");
            const spoken = await section.locator("[role=status]").first();
            await page.waitForFunction(([id, text]) => document.querySelector(`#${id} [role=status]`).textContent === text, [ID, await said(section)]);
            demand(await spoken.count() === 1, "nothing is read aloud");
        } finally {
            await orLater(context.close());
        }
    },

    async "it plays when it is told to, pauses, and ends"({ browser, origin }) {
        const { context, page } = await open(browser, `${origin}/${PAGE}`);
        try {
            const section = await ready(page);
            demand(!await playing(section), "it plays by itself");
            await section.locator("select[aria-label=Speed]").selectOption({ label: "fast" });
            await section.locator("button", { hasText: "Play" }).focus();
            await page.keyboard.press("Home");
            await page.keyboard.press("Space");
            demand(await playing(section), "Space does not play");
            await until(page, 3);
            demand(await section.evaluate((own) => getComputedStyle(own.querySelector(".wb-svg-edge")).animationName === "wb-play-in"),
                "lines do not come in");
            await page.keyboard.press("Space");
            const held = await round(section);
            demand(!await playing(section), "Space does not pause");
            await page.waitForTimeout(900);
            demand(await round(section) === held, "it goes on while it is paused");
            await page.waitForFunction(([id, own]) => location.hash === `#${id}~round=${own}`, [ID, held]);
            // Scrubbing pauses.
            await page.keyboard.press("Space");
            await section.locator("input[aria-label=Round]").fill("1");
            demand(!await playing(section) && await round(section) === 1, "the slider does not hold it");
            const last = Number(await section.locator("input[aria-label=Round]").getAttribute("max"));
            await section.locator("input[aria-label=Round]").fill(String(last - 1));
            await section.locator("button", { hasText: "Play" }).click();
            await until(page, last);
            demand(!await playing(section), "it does not end at the last round");
            // Out of sight, it stands still.
            await section.locator("button", { hasText: "Play" }).click();
            await page.evaluate(() => window.scrollTo(0, 0));
            await page.waitForFunction((id) => !("playing" in document.getElementById(id).dataset), ID);
        } finally {
            await orLater(context.close());
        }
    },

    async "without motion nothing moves, and play leaves time to read"({ browser, origin }) {
        const { context, page } = await open(browser, `${origin}/${PAGE}`, { motion: "reduce" });
        try {
            const section = await ready(page);
            demand(!await playing(section), "it plays by itself");
            await section.locator("select[aria-label=Speed]").selectOption({ label: "fast" });
            await section.locator("button[aria-label='To the beginning']").click();
            const began = Date.now();
            await section.locator("button", { hasText: "Play" }).click();
            await until(page, 1);
            demand(Date.now() - began > 1500, "a round comes too soon");
            demand(await section.evaluate((own) => [...own.querySelectorAll(".wb-svg-edge")]
                .every((line) => getComputedStyle(line).animationName === "none")), "lines come in");
        } finally {
            await orLater(context.close());
        }
    },

    async "on a phone, by touch alone, in the dark"({ browser, origin, axe }) {
        const { context, page } = await open(browser, `${origin}/${PAGE}#${ID}~round=3`, { width: 390, theme: "dark", touch: true });
        try {
            const section = await ready(page);
            demand(await round(section) === 3, "the link leads elsewhere");
            const height = await section.evaluate((own) => own.getBoundingClientRect().height);
            await section.locator("button[aria-label='A round on']").tap();
            demand(await round(section) === 4, "a tap is no round");
            demand(Math.abs(await section.evaluate((own) => own.getBoundingClientRect().height) - height) < 1, "what is below it moves");
            const small = await section.locator(":is(.wb-play-bar, .wb-play-change) :is(button, select, input):visible").evaluateAll((all) =>
                all.filter((own) => own.getBoundingClientRect().height < 44 || own.getBoundingClientRect().width < 44).length);
            demand(small === 0, `${small} controls are smaller than 44 px`);
            await section.locator("summary").tap();
            demand(await section.locator("ol li").count() === Number(await section.locator("input[aria-label=Round]").getAttribute("max")) + 1, "not every round is told");
            await page.evaluate(axe);
            const broken = await page.evaluate(async (id) => (await window.axe.run(document.getElementById(id), { resultTypes: ["violations"] }))
                .violations.map((own) => `${own.id}: ${own.help}`), ID);
            demand(broken.length === 0, broken.join("; "));
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 0, `the page is ${wide} px too wide`);
        } finally {
            await orLater(context.close());
        }
    },

    async "without JavaScript a round is drawn, and all are told"({ browser, origin }) {
        const { context, page } = await open(browser, `${origin}/${PAGE}`, { script: false });
        try {
            const section = page.locator(`#${ID}`);
            demand(await section.locator(".wb-play-stage svg .wb-svg-edge").count() > 0, "no round is drawn");
            await section.locator("summary").click();
            demand(await section.locator("ol li").count() > 2, "the rounds are not told");
            demand(await section.locator("button").count() === 0, "there are buttons that do nothing");
        } finally {
            await orLater(context.close());
        }
    },
};

/** Uses the figures; returns what went wrong, as the other parts of a look do. */
export async function players(tools, origin) {
    const found = [];
    for (const [name, test] of Object.entries(TESTS)) {
        try {
            await test({ ...tools, origin });
        } catch (error) {
            const look = { theme: "light", width: 1280 };
            found.push({ page: PAGE, look, kind: "widget", where: `figures that play, ${name}`, what: String(error.message ?? error) });
        }
    }
    return found;
}
