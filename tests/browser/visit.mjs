// One look at one page: opens it in a browser of its own, runs what was asked for, and returns the findings.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

import { compilers } from "./clang.mjs";
import { editors } from "./edit.mjs";
import { explorers } from "./explorer.mjs";
import { awaken, drawn, inspect, inspectHeight, inspectPaper, inspectPlain, places, unfold } from "./inspect.mjs";
import { inspectListings, ROOM } from "./listings.mjs";
import { keyboard, search } from "./keyboard.mjs";
import { panels } from "./panel.mjs";
import { players } from "./play.mjs";
import { responses } from "./responds.mjs";
import { steppers } from "./stepper.mjs";

/** What readers search for, and the page that teaches it, which must come first. */
export const SEARCHED = [
    ["coalescing", "machine/sectors.html"],
    ["occupancy", "machine/threads.html"],
    ["warp divergence", "machine/divergence.html"],
    ["atomics contention", "machine/votes.html"],
    ["race condition", "machine/barriers.html"],
    ["bank conflict", "machine/banks.html"],
];

/** How high a page may be, in pixels, at a width of 1280; and the width of a large screen. */
const HIGHEST = 12_000;
const WIDTH = 1280;
const WIDE = 1920;

/** Milliseconds that each part of the looks took so far, of all that are open at the same time. */
export const TOOK = new Map();

async function timed(part, work) {
    const began = Date.now();
    try {
        return await work;
    } finally {
        TOOK.set(part, (TOOK.get(part) ?? 0) + Date.now() - began);
    }
}

/** Starts Chromium, which can then reach nothing but this machine. `tools` is the folder that npm installed into. */
export async function start(tools, executablePath) {
    const require = createRequire(path.resolve(tools, "here.js"));
    const { chromium } = require("playwright-core");
    const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
    const args = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-gpu", "--font-render-hinting=none"];
    return { browser: await chromium.launch({ executablePath, args }), axe };
}

/**
 * Waits until something is closed, but not for ever: Chromium may never say so of a page that was left by a key. What is
 * still open is closed with the browser.
 */
export async function orLater(closing) {
    let timer;
    const enough = new Promise((done) => { timer = setTimeout(done, 5000); });
    await Promise.race([closing.catch(() => {}), enough]);
    clearTimeout(timer);
}

/** axe-core's rules about colours. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Which of axe-core's rules a part of a look has applied. */
const RULES = {
    axe: {},
    "axe-shape": { rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) },
    "axe-colours": { runOnly: { type: "rule", values: COLOURS } },
};

/** What axe-core objects to by some of its rules, where it is serious or critical. */
async function accessibility(page, axe, rules) {
    // Evaluated and not added as an element, so that the page stays as it is.
    await page.evaluate(axe);
    return page.evaluate(async (options) => {
        const { violations } = await window.axe.run(document, { resultTypes: ["violations"], ...options });
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        return serious.flatMap(({ id, impact, help, nodes }) => nodes.map(({ target, any, all, none }) => {
            const element = document.querySelector(target.at(-1));
            const reason = [...any, ...all, ...none][0]?.message ?? "";
            const where = element ? window.wbPlace(element) : target.join(" ");
            return { kind: "axe", where: `${id}: ${where}`, what: `${help} (${impact}). ${reason}` };
        }));
    }, rules);
}

/**
 * Looks at a page. `look` is `{ theme, width, javascript }`, `checks` are names out of `inspect`, `axe`, `axe-shape`,
 * `axe-colours`, `keyboard`, `reach`, `contents`, `search`, `explorer`, `panel`, `stepper`, `play`, `responds`, `edit`, `clang`, `paper` and `wide`: `inspect` again on
 * a large screen. Of `explorer` and `edit` a single test may be named, as
 * `edit: PTX by keyboard`, and of `responds` a widget.
 * Findings are `{ page, look, kind, where, what }`.
 */
export async function visit({ browser, axe, site }, origin, name, look, checks, picture = null) {
    const context = await browser.newContext({
        serviceWorkers: "block",
        viewport: { width: look.width, height: look.width < 600 ? 844 : 900 },
        colorScheme: look.theme,
        javaScriptEnabled: look.javascript !== false,
        reducedMotion: "reduce",
    });
    const found = [];
    const report = (kind, where, what) => found.push({ kind, where, what });
    // The names of the tests of a part: none for all of them, nothing if the part is not asked for.
    const part = (own) => {
        const asked = checks.filter((check) => check === own || check.startsWith(`${own}: `));
        return asked.length > 0 ? asked.flatMap((check) => check.split(": ").slice(1)) : null;
    };
    try {
        const page = await context.newPage();
        // A machine that builds something else meanwhile takes its time.
        page.setDefaultTimeout(120_000);
        page.on("pageerror", (error) => report("script", "JavaScript", String(error.message ?? error)));
        page.on("console", (message) => {
            const text = message.text();
            // Files that are not there are told by their address below.
            if (message.type() === "error" && !text.startsWith("Failed to load resource")) report("script", message.location().url, text);
        });
        const own = (request) => /^(data|blob|about):/.test(request.url()) || request.url().startsWith(`${origin}/`);
        page.on("request", (request) => { if (!own(request)) report("outside", request.url(), "another machine is asked"); });
        page.on("requestfailed", (request) => {
            // What the browser gives up because the page is left is nobody's fault.
            const why = request.failure()?.errorText ?? "no answer";
            if (own(request) && why !== "net::ERR_ABORTED") report("request", request.url().replace(origin, ""), why);
        });
        page.on("response", (response) => {
            if (response.status() >= 400) report("request", response.url().replace(origin, ""), `status ${response.status()}`);
        });
        await timed("open", page.goto(`${origin}/${name}`, { waitUntil: "load" }));
        await page.evaluate(() => document.fonts.ready.then(() => true));
        await page.evaluate(places);
        if (picture) await picture(page);
        // Before anything is unfolded. The appendix of sources is looked into, and not read from top to bottom.
        const measured = checks.includes("inspect") && look.javascript !== false && look.width === WIDTH;
        if (measured && !name.startsWith("sources/")) found.push(...await page.evaluate(inspectHeight, HIGHEST));
        const scripts = look.javascript !== false;
        if (scripts) await timed("widgets", page.evaluate(awaken));
        if (checks.includes("paper")) found.push(...await timed("paper", page.evaluate(inspectPaper)));
        if (checks.includes("keyboard")) found.push(...await timed("keyboard", keyboard(page)));
        if (checks.includes("reach")) found.push(...await timed("reach", keyboard(page, ["reach", "contents"])));
        if (checks.includes("contents")) found.push(...await timed("contents", keyboard(page, ["contents"])));
        if (checks.includes("inspect")) {
            const scripted = look.javascript !== false;
            if (!scripted) found.push(...await page.evaluate(inspectPlain));
            await page.evaluate(unfold);
            if (scripts) await timed("widgets", page.evaluate(awaken));
            // The page notices it when it is drawn next. (Without JavaScript no timer of the page ever ends.)
            if (scripted) await page.evaluate(drawn);
            const dark = look.theme === "dark";
            found.push(...await timed("inspect", page.evaluate(inspect, { dark, scripted })));
            if (checks.includes("wide")) {
                const wide = { ...look, width: WIDE };
                await page.setViewportSize({ width: WIDE, height: 1080 });
                await page.evaluate(drawn);
                const seen = await timed("wide", page.evaluate(inspect, { dark, scripted }));
                found.push(...seen.map((finding) => ({ look: wide, ...finding })));
                await page.setViewportSize({ width: look.width, height: 900 });
            }
            if (look.width >= ROOM) found.push(...await timed("inspect", page.evaluate(inspectListings)));
        }
        if (part("explorer")) found.push(...await timed("explorer", explorers({ browser, axe }, origin, part("explorer"))));
        if (checks.includes("stepper") && site) found.push(...await timed("stepper", steppers({ browser, axe }, origin, site)));
        if (checks.includes("play")) found.push(...await timed("play", players({ browser, axe }, origin)));
        if (checks.includes("panel") && site) found.push(...await timed("panel", panels({ browser, axe }, origin, site)));
        if (part("responds") && site) found.push(...await timed("responds", responses({ browser }, origin, site, part("responds"))));
        if (part("edit")) found.push(...await timed("edit", editors({ browser, axe }, origin, site, part("edit"))));
        if (checks.includes("clang") && site) found.push(...await timed("clang", compilers({ browser, axe }, site)));
        for (const [part, rules] of Object.entries(RULES)) {
            if (checks.includes(part)) found.push(...await timed(part, accessibility(page, axe, rules)));
        }
        if (checks.includes("search")) {
            for (const [words, taught] of SEARCHED) found.push(...await timed("search", search(page, words, taught)));
        }
    } finally {
        await orLater(context.close());
    }
    return found.map((finding) => ({ page: name, look, ...finding }));
}
