// Uses the access explorers of the built book as readers do: by keyboard alone, by touch alone, by a link, without JavaScript,
// with storage forbidden; in light and dark, on a phone and on a desk; and holds what they draw against the page as it was built.

/** Waits until something is closed, but not for ever, as in `visit.mjs`. */
const orLater = (closing) => Promise.race([closing.catch(() => {}), new Promise((done) => { setTimeout(done, 5000).unref(); })]);

const PAGE = "machine/banks.html";
const STRIDES = "machine-banks-strides";
const COLUMNS = "machine-banks-columns";
const THREADS = "machine/threads.html";
const OCCUPANCY = "machine-threads-occupancy";
/** How many addresses that nobody wrote are tried. */
const FRAGMENTS = 1000;

/** Pages with explorers, so that each kind is there. */
export const EXPLORED = [PAGE, "machine/sectors.html", "machine/threads.html", "machine/votes.html"];

/** A claim about a page that does not hold. */
function demand(holds, what) {
    if (!holds) throw new Error(what);
}

async function open(browser, origin, address, { width = 1280, theme = "light", touch = false, script = true, before = null } = {}) {
    const context = await browser.newContext({
        serviceWorkers: "block",
        viewport: { width, height: 844 }, colorScheme: theme, hasTouch: touch, isMobile: touch, javaScriptEnabled: script, reducedMotion: "reduce",
    });
    if (before) await context.addInitScript(before);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error.message ?? error)));
    await page.goto(`${origin}/${address}`, { waitUntil: "load" });
    return { context, page, errors };
}

/** Waits until the explorer of this name can be used, and returns it. */
async function ready(page, id) {
    const section = page.locator(`#${id}`);
    // What is folded is opened, as a reader would.
    await page.evaluate((own) => {
        for (let node = document.getElementById(own); node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    }, id);
    await section.scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${id}[data-state]`);
    const state = await section.getAttribute("data-state");
    demand(state === "ready", `${id}: ${await section.locator(".wb-lab-note").last().textContent()}`);
    return section;
}

const drawing = (section) => section.locator("figure svg").first().evaluate((svg) => {
    const copy = svg.cloneNode(true);
    copy.querySelectorAll(".wb-svg-now").forEach((mark) => mark.remove());
    return copy.outerHTML;
});
const said = (section) => section.locator("figcaption").textContent();

/** Presses a key until the focus is on something that matches. */
async function reach(page, selector, key = "Tab") {
    for (let presses = 0; presses < 80; presses++) {
        if (await page.evaluate((own) => document.activeElement.matches(own), selector)) return;
        await page.keyboard.press(key);
    }
    throw new Error(`${key} does not reach ${selector}`);
}

const TESTS = {
    /** A guess, a slider, a lane, a table, a link and the way out, without a pointer. */
    async "by keyboard alone"(browser, origin) {
        const { context, page, errors } = await open(browser, origin, PAGE);
        try {
            const section = await ready(page, STRIDES);
            const before = await drawing(section);
            demand(await section.locator(`#${STRIDES}-stride`).isDisabled(), "the slider is free before the guess");
            await page.evaluate((id) => {
                const title = document.getElementById(`${id}-title`);
                title.tabIndex = -1;
                title.focus();
            }, STRIDES);
            await reach(page, `#${STRIDES}-guess`);
            await page.keyboard.type("3");
            await page.keyboard.press("Enter");
            await reach(page, `#${STRIDES}-stride`);
            for (let step = 0; step < 11; step++) await page.keyboard.press("ArrowRight");
            demand(page.url().includes(PAGE), "an arrow key turned the page");
            demand((await said(section)).startsWith("Stride 12: 4 wavefronts, best 1."), `it says: ${await said(section)}`);
            demand(await drawing(section) !== before, "the drawing did not change");
            await reach(page, ".wb-lab-picture");
            await page.keyboard.press("ArrowRight");
            await page.keyboard.press("ArrowUp");
            const lens = section.locator(".wb-lab-lens span");
            demand(/^lane \d+: word \d+, bank \d+, turn \d/.test(await lens.textContent()), `the lane says: ${await lens.textContent()}`);
            await page.keyboard.press(" ");
            demand((await lens.textContent()).endsWith("takes no part"), "the space bar does not leave the lane out");
            await page.keyboard.press("t");
            demand(await section.locator("details.wb-numbers").evaluate((own) => own.open), "t does not open the table");
            await page.keyboard.press("?");
            demand(await section.locator(".wb-keys").isVisible(), "? does not list the keys");
            await page.keyboard.press("r");
            demand(await drawing(section) === before, "r does not lead back to the first drawing");
            await page.keyboard.press("Escape");
            demand(await page.evaluate((id) => document.activeElement.id === `${id}-title`, STRIDES), "Escape does not leave");
            await page.waitForFunction((id) => document.querySelector(`#${id} [role="status"]`)?.textContent.startsWith("Stride"), STRIDES);
            const kept = await page.evaluate((id) => JSON.parse(localStorage.getItem(`wb2:${id}`)), STRIDES);
            demand(kept.guess === 3, `kept is ${JSON.stringify(kept)}`);
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    /** A challenge is solved by what the accesses cost. */
    async "a challenge"(browser, origin) {
        const { context, page } = await open(browser, origin, PAGE);
        try {
            const section = await ready(page, COLUMNS);
            const task = section.locator(".wb-lab-task");
            demand((await task.textContent()).includes("Not yet: 32 and 1 wavefronts"), await task.textContent());
            demand(await section.locator(`#${COLUMNS}-swizzle`).isDisabled(), "more than one control is free");
            await section.locator(`#${COLUMNS}-stride`).focus();
            await page.keyboard.press("ArrowRight");
            demand((await task.textContent()).includes("Solved."), await task.textContent());
            await task.getByText("Next challenge").click();
            await section.locator(`#${COLUMNS}-swizzle`).selectOption("xor");
            demand((await task.textContent()).includes("Solved. What solves it: XOR, padding."), await task.textContent());
        } finally {
            await orLater(context.close());
        }
    },

    /** On a phone, with a finger: what is pressed is large enough, nothing is wider than the screen. */
    async "by touch alone"(browser, origin) {
        const { context, page, errors } = await open(browser, origin, PAGE, { width: 390, touch: true, theme: "dark" });
        try {
            const section = await ready(page, STRIDES);
            await section.getByText("Without a guess").tap();
            await section.getByLabel("stride in words: more").tap();
            demand((await said(section)).startsWith("Stride 2: 2 wavefronts"), await said(section));
            const picture = section.locator(".wb-lab-picture");
            await picture.tap();
            demand(/^lane \d+: word/.test(await section.locator(".wb-lab-lens span").textContent()), "a tap selects no lane");
            await section.getByLabel("the next lane").tap();
            await section.locator(".wb-lab-toggle").tap();
            demand((await said(section)).includes("31 lanes"), await said(section));
            const small = await section.evaluate((own) => [...own.querySelectorAll("button, select, summary, input")]
                .filter((node) => node.checkVisibility() && node.getBoundingClientRect().height < 44).map((node) => node.outerHTML.slice(0, 80)));
            demand(small.length === 0, `lower than 44 px: ${small.join(" ")}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 1, `the page is ${wide} px wider than the screen`);
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    /** Occupancy: what runs out first, by keyboard; a block and another GPU by touch on a phone. */
    async "occupancy"(browser, origin) {
        const keyboard = await open(browser, origin, THREADS);
        try {
            const section = await ready(keyboard.page, OCCUPANCY);
            await section.locator(`#${OCCUPANCY}-guess`).focus();
            await keyboard.page.keyboard.type("48");
            await keyboard.page.keyboard.press("Enter");
            await section.locator(`#${OCCUPANCY}-registers`).focus();
            await keyboard.page.keyboard.press("ArrowRight");
            demand((await said(section)).includes("6 blocks and 48 of 64 warps are resident"), await said(section));
            demand((await section.locator(".wb-lab-guess").textContent()).includes("You guessed 48; it is 48."), "the guess is not judged");
            // No block fits: nothing can be selected, and nothing fails.
            await section.locator(`#${OCCUPANCY}-registers`).fill("255");
            await section.locator(`#${OCCUPANCY}-threads`).fill("1024");
            demand((await said(section)).includes("not one block fits. Registers run out first."), await said(section));
            await section.getByLabel("the next block").click();
            await keyboard.page.keyboard.press("r");
            await section.getByLabel("the next block").click();
            const lens = section.locator(".wb-lab-lens span");
            demand((await lens.textContent()).startsWith("block 0: warps 0 to 7"), `the block says: ${await lens.textContent()}`);
            demand(keyboard.errors.length === 0, keyboard.errors.join("; "));
        } finally {
            await orLater(keyboard.context.close());
        }
        const touch = await open(browser, origin, THREADS, { width: 390, touch: true, theme: "dark" });
        try {
            const section = await ready(touch.page, OCCUPANCY);
            await section.getByText("Without a guess").tap();
            await section.getByLabel("threads per block: more").tap();
            demand((await said(section)).startsWith("288 threads per block"), await said(section));
            await section.locator(".wb-lab-picture").tap();
            demand(/^block \d+: warps/.test(await section.locator(".wb-lab-lens span").textContent()), "a tap selects no block");
            await section.locator(".wb-lab-more > summary").tap();
            await section.locator(`#${OCCUPANCY}-target`).selectOption("g80");
            // 288 threads with 32 registers each are more than the 8,192 registers of that GPU; 256 are as many.
            demand((await said(section)).includes("not one block fits. Registers run out first."), await said(section));
            await section.getByLabel("threads per block: less").tap();
            demand((await said(section)).includes("1 block and 8 of 24 warps are resident"), await said(section));
            const wide = await touch.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            demand(wide <= 1, `the page is ${wide} px wider than the screen`);
            demand(touch.errors.length === 0, touch.errors.join("; "));
        } finally {
            await orLater(touch.context.close());
        }
    },

    /** What the page's module draws first is what the page was built with, byte for byte; and so for every explorer. */
    async "the first drawing is the built one"(browser, origin) {
        for (const name of EXPLORED) {
            const { context, page } = await open(browser, origin, name);
            try {
                const source = await (await fetch(`${origin}/${name}`)).text();
                const different = await page.evaluate(async (text) => {
                    const module = await wbLab.wasm("access");
                    const wrong = [];
                    // mdBook writes the same elements anew, so both are read as a browser reads them.
                    const read = (html) => new DOMParser().parseFromString(html, "text/html");
                    const page = read(text);
                    const drawn = (root) => root.querySelector(".wb-scroll").outerHTML;
                    const cells = (root) => [...root.querySelectorAll(".wb-table :is(caption, th, td)")].map((cell) => cell.textContent).join("|");
                    for (const section of document.querySelectorAll("section.wb-explorer")) {
                        const { state } = JSON.parse(section.querySelector("script[type='application/json']").textContent);
                        const own = module.call({ state });
                        const built = page.getElementById(section.id);
                        if (drawn(read(own.figure)) !== drawn(built)) wrong.push(`${section.id}: figure`);
                        if (cells(read(own.table)) !== cells(built)) wrong.push(`${section.id}: table`);
                        const caption = read(own.caption).body.innerHTML;
                        if (caption !== built.querySelector("figcaption").innerHTML) wrong.push(`${section.id}: caption`);
                    }
                    return wrong;
                }, source);
                demand(different.length === 0, `${name}: ${different.join(", ")}`);
            } finally {
                await orLater(context.close());
            }
        }
    },

    /** An address leads to the same picture in a browser that was never here. */
    async "by a link"(browser, origin) {
        const first = await open(browser, origin, PAGE);
        let address;
        let before;
        try {
            const section = await ready(first.page, STRIDES);
            await section.getByText("Without a guess").click();
            await section.locator(`#${STRIDES}-stride`).fill("12");
            await section.locator(`#${STRIDES}-width`).selectOption("16");
            before = await drawing(section);
            await first.page.waitForFunction(() => location.hash.includes("~s=12~w=16"));
            address = first.page.url().slice(origin.length + 1);
        } finally {
            await orLater(first.context.close());
        }
        const second = await open(browser, origin, address);
        try {
            const section = await ready(second.page, STRIDES);
            demand(await drawing(section) === before, `${address} shows another drawing`);
        } finally {
            await orLater(second.context.close());
        }
    },

    /** Addresses that nobody wrote change nothing but what is said. */
    async "random addresses"(browser, origin) {
        const { context, page, errors } = await open(browser, origin, PAGE);
        try {
            const section = await ready(page, STRIDES);
            const before = await drawing(section);
            const after = await page.evaluate(async ([id, count]) => {
                const letters = "sowzpaktfnvxy0123456789=~%#-.&?é\u2028\"<>lane";
                let seed = 1;
                const random = (below) => {
                    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
                    return (seed >>> 8) % below;
                };
                const svg = document.querySelector(`#${id} figure svg`);
                for (let number = 0; number < count; number++) {
                    let text = "";
                    for (let length = 1 + random(20); length > 0; length--) text += letters[random(letters.length)];
                    // A name that no control has, or a stride that is no number: nothing of it can be meant.
                    location.hash = number % 2 === 0 ? `${id}~q=1${text}` : `${id}~${text}~s=q`;
                    if (number % 50 === 0) await new Promise((next) => { setTimeout(next); });
                }
                await new Promise((next) => { setTimeout(next, 700); });
                return document.querySelector(`#${id} figure svg`) === svg;
            }, [STRIDES, FRAGMENTS]);
            demand(after && await drawing(section) === before, "an address that nobody wrote changed the drawing");
            demand(errors.length === 0, errors.join("; "));
        } finally {
            await orLater(context.close());
        }
    },

    /** Without JavaScript there is the figure with its table, and nothing that promises more. */
    async "without JavaScript"(browser, origin) {
        const { context, page } = await open(browser, origin, PAGE, { script: false });
        try {
            const section = page.locator(`#${STRIDES}`);
            demand(await section.locator("figure svg").isVisible(), "there is no figure");
            demand(await section.locator("details.wb-numbers table").count() === 1, "there is no table");
            demand(await section.locator("button, input, select").count() === 0, "there are controls that do nothing");
        } finally {
            await orLater(context.close());
        }
    },

    /** Where nothing can be kept, or something else is, everything works all the same. */
    async "storage forbidden and spoiled"(browser, origin) {
        const forbid = () => {
            for (const name of ["getItem", "setItem"]) {
                const own = Storage.prototype[name];
                // Ours alone: what mdBook makes of it is mdBook's.
                Storage.prototype[name] = function forbidden(key, ...rest) {
                    if (key.startsWith("wb2:")) throw new Error("forbidden");
                    return own.call(this, key, ...rest);
                };
            }
        };
        const spoil = () => { localStorage.setItem("wb2:machine-banks-strides", "{\"tries\":\"many\",\"guess\":{}"); };
        for (const before of [forbid, spoil]) {
            const { context, page, errors } = await open(browser, origin, PAGE, { before });
            try {
                const section = await ready(page, STRIDES);
                await section.getByText("Without a guess").click();
                await section.getByLabel("stride in words: more").click();
                demand((await said(section)).startsWith("Stride 2:"), await said(section));
                demand(errors.length === 0, errors.join("; "));
            } finally {
                await orLater(context.close());
            }
        }
    },

    /** A formula that is wrong is marked at its place, and the drawing stays. */
    async "a wrong formula"(browser, origin) {
        const { context, page } = await open(browser, origin, PAGE);
        try {
            const section = await ready(page, STRIDES);
            await section.getByText("Without a guess").click();
            await section.locator(".wb-lab-more > summary").click();
            const field = section.locator(`#${STRIDES}-formula`);
            await field.fill("lane ^ lane / 4");
            demand((await said(section)).startsWith("Word lane ^ lane / 4:"), await said(section));
            const before = await drawing(section);
            await field.fill("lane + rank");
            demand(await section.locator(".wb-lab-wrong mark").textContent() === "rank", "the wrong name is not marked");
            demand(await field.getAttribute("aria-invalid") === "true", "the field is not invalid");
            demand(await drawing(section) === before, "the drawing changed");
        } finally {
            await orLater(context.close());
        }
    },

    /** No violation of axe-core's rules, with everything unfolded. */
    async "axe-core"(browser, origin, axe) {
        for (const name of EXPLORED) {
            for (const [width, theme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
                const { context, page } = await open(browser, origin, name, { width, theme });
                try {
                    const ids = await page.locator("section.wb-explorer").evaluateAll((all) => all.map((own) => own.id));
                    for (const id of ids) await ready(page, id);
                    await page.evaluate(() => document.querySelectorAll(".wb-explorer details").forEach((own) => { own.open = true; }));
                    await page.evaluate(axe);
                    const violations = await page.evaluate(async () => {
                        const found = await window.axe.run({ include: [".wb-explorer"] }, { resultTypes: ["violations"] });
                        return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`));
                    });
                    demand(violations.length === 0, `${name}, ${width} px, ${theme}: ${violations.join("\n")}`);
                } finally {
                    await orLater(context.close());
                }
            }
        }
    },
};

/** Runs all of it, or what is named; returns findings as the looks at pages do. */
export async function explorers({ browser, axe }, origin, names = []) {
    const found = [];
    for (const [name, test] of Object.entries(TESTS)) {
        if (names.length > 0 && !names.includes(name)) continue;
        try {
            await test(browser, origin, axe);
        } catch (error) {
            found.push({ kind: "widget", where: `the explorer, ${name}`, what: String(error.message ?? error) });
        }
    }
    return found;
}
