// Looks at every page of the built book as readers do: in light and dark, on a phone and on a desk, with a keyboard, without
// JavaScript, on paper. `.ci/browser` gets the browser and what is needed to drive it, and starts this:
//
//     node tests/browser/main.mjs SITE TOOLS [--chromium PROGRAM] [--self-test | --pictures FOLDER | --widgets FOLDER] [PAGE…]
//     node tests/browser/main.mjs SITE TOOLS [--chromium PROGRAM] --course solutions|everything [EXERCISE…]
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";

import { course } from "./course.mjs";
import { selfTest } from "./defects.mjs";
import { lookName, tell } from "./kinds.mjs";
import { PLAYED } from "./play.mjs";
import { pagesOf, serve } from "./server.mjs";
import { shots } from "./shots.mjs";
import { orLater, start, TOOK, visit } from "./visit.mjs";

const PHONE = 390;
const DESK = 1280;
/** How long a look may take, in milliseconds: the longest, which uses all widgets of a kind, takes some minutes where three share two cores. */
const PATIENCE = 480_000;
/** How many pages are open at the same time. */
const AT_ONCE = 3;

/**
 * What is done with a page. Keys do the same in every look, so everything is used once, in the dark; on a phone only the table
 * of contents. Colours are the same on a phone, so it is looked at in one theme, and axe does not compute contrasts again
 * there; what differs in the dark is colours alone. The search is the same on all pages, so two have it used, one of them in a
 * folder. Of pages that one template makes, only the first is looked at in the dark and without JavaScript.
 */
function plan(page, likeAnother = false) {
    const search = (own) => (page === own ? ["search"] : []);
    // Widgets are used in contexts of their own: once is enough, and by itself, since it takes its time.
    const used = {
        "machine/banks.html": "explorer",
        "machine/threads.html": "panel",
        "machine/divergence.html": "stepper",
        "machine/barriers.html": "clang",
        "machine/sectors.html": "responds",
        [PLAYED]: "play",
    }[page];
    const widgets = used ? [[{ theme: "light", width: DESK }, [used]]] : [];
    if (used === "panel") widgets.push([{ theme: "light", width: DESK }, ["edit"]]);
    const looks = [
        ...widgets,
        [{ theme: "light", width: DESK }, ["paper", "inspect", "wide", "axe", ...search("machine/banks.html")]],
        [{ theme: "light", width: PHONE }, [likeAnother ? "reach" : "contents", "inspect", "axe-shape", ...search("index.html")]],
    ];
    if (likeAnother) return looks;
    return [
        ...looks,
        [{ theme: "dark", width: DESK }, ["keyboard", "inspect", "wide", "axe-colours"]],
        [{ theme: "light", width: PHONE, javascript: false }, ["inspect"]],
    ];
}

/** Calls `work` for every job, a few at a time. */
async function sideBySide(jobs, work) {
    const left = [...jobs];
    const worker = async () => {
        for (let job = left.shift(); job !== undefined; job = left.shift()) await work(job);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** A page that never answers must not keep the whole run from its end. */
async function inTime(work) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`nothing came of it in ${PATIENCE / 60_000} minutes`)), PATIENCE);
    });
    try {
        return await Promise.race([work, late]);
    } finally {
        clearTimeout(timer);
    }
}

/** Folders whose pages one template makes. */
const ALIKE = ["sources", "checks", "counters", "exercises"];

/** Whether a page is made as one before it is. */
function isLikeAnother(page, pages) {
    const folder = path.dirname(page);
    return ALIKE.includes(folder) && pages.find((other) => path.dirname(other) === folder) !== page;
}

async function check(tools, site, pages) {
    const server = await serve(site);
    const all = { ...tools, site };
    const jobs = pages.flatMap((page) =>
        plan(page, isLikeAnother(page, pages)).map(([look, checks]) => ({ page, look, checks })));
    const found = [];
    const slow = [];
    const work = async ({ page, look, checks }) => {
        const began = Date.now();
        try {
            found.push(...await inTime(visit(all, server.origin, page, look, checks)));
        } catch (error) {
            found.push({ page, look, kind: "script", where: "the page as a whole", what: `it could not be tested: ${error.message}` });
        }
        slow.push([Date.now() - began, `${page} (${lookName(look)})`]);
        if (slow.length % 60 === 0) console.error(`${slow.length} of ${jobs.length} looks`);
    };
    // What is measured is measured alone.
    const alone = ({ checks }) => checks.includes("responds");
    for (const job of jobs.filter(alone)) await work(job);
    await sideBySide(jobs.filter((job) => !alone(job)), work);
    await server.close();
    const lines = tell(found);
    console.log(lines.join("\n\n"));
    const longest = slow.sort(([a], [b]) => b - a)[0];
    console.log(`${pages.length} pages, ${jobs.length} looks at them: ${lines.length} findings; ` +
        `the slowest took ${(longest[0] / 1000).toFixed(1)} s, ${longest[1]}`);
    const parts = [...TOOK].sort(([, a], [, b]) => b - a).map(([part, took]) => `${part} ${Math.round(took / 1000)}`);
    console.log(`seconds of each part, ${AT_ONCE} looks at a time: ${parts.join(", ")}`);
    return lines.length === 0;
}

/** Takes a picture of each page as a reader finds it, in both themes and on both screens. */
async function pictures(tools, site, pages, folder) {
    const server = await serve(site);
    await mkdir(folder, { recursive: true });
    const jobs = pages.flatMap((page) => plan(page).filter(([look, checks]) => look.javascript !== false && checks.includes("inspect"))
        .map(([look]) => ({ page, look })));
    await sideBySide(jobs, ({ page, look }) => visit(tools, server.origin, page, look, [], (open) => open.screenshot({
        path: path.join(folder, `${page.replace(/\W+/g, "-").replace(/-html$/, "")}-${look.theme}-${look.width}.png`),
        fullPage: true,
    })));
    await server.close();
    return true;
}

const { values, positionals: [site, tools, ...named] } = parseArgs({
    allowPositionals: true,
    options: { chromium: { type: "string" }, "self-test": { type: "boolean" }, pictures: { type: "string" }, widgets: { type: "string" }, course: { type: "string" } },
});
if (!site || !tools) {
    console.error("usage: node tests/browser/main.mjs SITE TOOLS [--chromium PROGRAM] [--self-test | --pictures FOLDER | --widgets FOLDER] [PAGE…]");
    process.exit(2);
}
const all = await pagesOf(site).catch((error) => {
    console.error(`there is no built book in ${site} (${error.code}): run \`warpbook book build\` first`);
    process.exit(2);
});
const unknown = values.course ? [] : named.filter((page) => !all.includes(page));
if (unknown.length > 0 || all.length === 0) {
    console.error(unknown.length > 0 ? `not a page of ${site}: ${unknown.join(", ")}` : `there are no pages in ${site}`);
    process.exit(2);
}
const pages = named.length > 0 ? named : all;
const browser = await start(tools, values.chromium);
let fine;
try {
    if (values.course) fine = await course(browser, site, { everything: values.course === "everything", only: named });
    else if (values["self-test"]) fine = await selfTest(browser, site, all, sideBySide, (page) => readFile(path.join(site, page), "utf8"));
    else if (values.pictures) fine = await pictures(browser, site, pages, values.pictures);
    else if (values.widgets) fine = await shots(browser, site, pages, values.widgets, sideBySide);
    else fine = await check(browser, site, pages);
} finally {
    await orLater(browser.browser.close());
}
// Whatever is still open ends with this.
process.exit(fine ? 0 : 1);
