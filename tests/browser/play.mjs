// Uses the figures that play as readers do: by keyboard alone, by touch alone, by a link, with and without motion, without
// JavaScript.
import { orLater } from "./visit.mjs";

/** The page on which it is done. */
export const PLAYED = "scan.html";
const PAGE = PLAYED;
const ID = "scan-tree";

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

const round = (section) => section.locator("input[type=range]").inputValue().then(Number);
const said = (section) => section.locator(".wb-play-said").textContent();
const values = (section) => section.locator(".wb-play-stage text.wb-svg-lane").allTextContents();
const playing = (section) => section.evaluate((own) => "playing" in own.dataset);
const until = (page, wanted) => page.waitForFunction(([id, own]) =>
    Number(document.querySelector(`#${id} input[type=range]`).value) === own, [ID, wanted]);

const TESTS = {
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
            const last = Number(await section.locator("input[type=range]").getAttribute("max"));
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
            await section.locator("input[type=range]").focus();
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
            await section.locator("select").selectOption({ label: "fast" });
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
            await section.locator("input[type=range]").fill("1");
            demand(!await playing(section) && await round(section) === 1, "the slider does not hold it");
            const last = Number(await section.locator("input[type=range]").getAttribute("max"));
            await section.locator("input[type=range]").fill(String(last - 1));
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
            await section.locator("select").selectOption({ label: "fast" });
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
            const small = await section.locator(".wb-play-bar :is(button, select, input)").evaluateAll((all) =>
                all.filter((own) => own.getBoundingClientRect().height < 44 || own.getBoundingClientRect().width < 44).length);
            demand(small === 0, `${small} controls are smaller than 44 px`);
            await section.locator("summary").tap();
            demand(await section.locator("ol li").count() === Number(await section.locator("input[type=range]").getAttribute("max")) + 1, "not every round is told");
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
