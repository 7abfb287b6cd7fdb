// Solves every exercise with a kernel in its page, as a reader does whom no program serves: the text goes into the editor, the page's own
// compiler and grader judge it. A solution must pass; with `everything` the starters and all wrong solutions are handed in, too, and
// must not. `warpbook dev check` proves the same verdicts of the command line.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { serve } from "./server.mjs";
import { orLater } from "./visit.mjs";

const COURSE = new URL("../../exercises/", import.meta.url);
/** Most milliseconds that a verdict may take. */
const PATIENCE = 120_000;

const sources = async (folder) => {
    const names = await readdir(new URL(folder, COURSE)).catch(() => []);
    return names.filter((name) => name.endsWith(".cu")).sort().map((name) => `${folder}${name}`);
};

/** What is handed in for an exercise: `{ what, text, passes }`; a text of null is what the editor shows at first. */
async function texts(group, name, everything) {
    const read = (file) => readFile(new URL(file, COURSE), "utf8");
    const all = [{ what: "solution", text: await read(`solutions/${group}/${name}.cu`), passes: true }];
    if (!everything) return all;
    all.unshift({ what: "starter", text: null, passes: false });
    for (const file of await sources(`wrong/${group}/${name}/`)) all.push({ what: file, text: await read(file), passes: false });
    for (const file of await sources(`right/${group}/${name}/`)) all.push({ what: file, text: await read(file), passes: true });
    return all;
}

/** The exercises with kernels that a page has, by their sections. */
const kernelsOf = (page) => page.evaluate(() => [...document.querySelectorAll("[id^=exercise-]")].flatMap((section) => {
    const script = section.querySelector("script");
    const state = script ? JSON.parse(script.textContent) : {};
    return state.name && state.questions.length === 0 ? [{ id: section.id, name: state.name }] : [];
}));

async function solve(page, { id, name }, handedIn, differing) {
    const section = page.locator(`#${id}`);
    await section.scrollIntoViewIfNeeded();
    await page.waitForSelector(`#${id}[data-state=ready]`);
    await section.locator("button", { hasText: "Solve it here" }).press("Enter");
    await section.locator(".cm-content, textarea").first().waitFor();
    const fetch = section.locator(".wb-clang-fetch");
    if (await fetch.count() > 0) {
        await fetch.press("Enter");
        await section.locator(".wb-clang:not(:has(button)) a").waitFor();
    }
    for (const { what, text, passes } of handedIn) {
        await section.locator(".cm-content, textarea").first().focus();
        if (text !== null) {
            await page.keyboard.press("Control+A");
            await page.keyboard.insertText(text);
        }
        await section.evaluate((own) => own.querySelector(".wb-exercise-said").replaceChildren());
        await page.keyboard.press("Control+Enter");
        const end = section.locator(".wb-exercise-said").locator(".wb-exercise-passed, .wb-exercise-open, .wb-panel-fault").first();
        await end.waitFor({ timeout: PATIENCE });
        const sign = await end.getAttribute("class");
        if (sign !== (passes ? "wb-exercise-passed" : "wb-exercise-open")) {
            differing.push(`${name}, ${what}: ${await section.locator(".wb-exercise-said").textContent()}`);
        }
    }
}

/** All of it; resolves to whether every verdict is as it must be. `site` is the built book's folder. */
export async function course({ browser }, site, { everything, only }) {
    for (const [file, what] of [["exercises", "the grader as WebAssembly"], ["compiler", "the compiler"]]) {
        if (!/lacks/.test((await readFile(path.join(site, `lab/${file}.js`), "utf8")).slice(0, 200))) continue;
        console.error(`not run: the course solved in its pages, because the book was built without ${what}`);
        return true;
    }
    const groups = (await readdir(new URL("solutions/", COURSE))).sort();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    const server = await serve(site);
    const differing = [];
    let [exercises, judged] = [0, 0];
    const began = Date.now();
    try {
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        for (const file of (await readdir(path.join(site, "exercises"))).filter((name) => name.endsWith(".html")).sort()) {
            await page.goto(`${server.origin}/exercises/${file}`, { waitUntil: "load" });
            for (const exercise of await kernelsOf(page)) {
                if (only.length > 0 && !only.includes(exercise.name)) continue;
                const holding = await Promise.all(groups.map(async (own) => (await sources(`solutions/${own}/`)).includes(`solutions/${own}/${exercise.name}.cu`)));
                const handedIn = await texts(groups[holding.indexOf(true)], exercise.name, everything);
                await solve(page, exercise, handedIn, differing).catch((error) => differing.push(`${exercise.name}: ${error.message}`));
                exercises += 1;
                judged += handedIn.length;
            }
        }
    } finally {
        await orLater(context.close());
        await server.close();
    }
    console.log(differing.join("\n\n"));
    const seconds = (Date.now() - began) / 1000;
    console.log(`${exercises} exercises solved in their pages, ${judged} texts judged in ${seconds.toFixed(0)} s: ` +
        `${differing.length} verdicts are not the command line's`);
    return differing.length === 0 && (exercises > 30 || only.length > 0);
}
