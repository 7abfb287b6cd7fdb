// Pictures of every widget in use, in light and dark, on a phone and on a desk, for people to look at: a panel after its run, a
// stepper some steps on, an explorer without its question, a figure in the middle of its rounds, answers that were judged, a kernel
// in the editor.
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";

import { serve } from "./server.mjs";
import { orLater } from "./visit.mjs";

const LOOKS = [["light", 1280], ["dark", 1280], ["light", 390], ["dark", 390]];

/** What is done with a widget before its picture is taken, by kind: `[what the picture shows, …]`, one picture for each. */
const USES = {
    explorer: async (section) => {
        const skip = section.getByText("Without a guess");
        if (await skip.count() > 0) await skip.first().click();
        return ["changed"];
    },
    panel: async (section, page, id) => {
        await section.locator(".wb-panel-run").click();
        await page.waitForFunction((own) => ["done", "error"].includes(document.getElementById(own).dataset.run), id);
        return ["after-a-run"];
    },
    stepper: async (section, page, id) => {
        await section.locator(".wb-step-start").click();
        await page.waitForSelector(`#${id} .wb-step-bar:not([hidden])`);
        for (let step = 0; step < 6; step++) await section.getByRole("button", { name: "a step on" }).click();
        return ["some-steps-on"];
    },
    play: async (section) => {
        await section.getByRole("button", { name: "A round on" }).click();
        return ["a-round-on"];
    },
    exercise: async (section) => {
        const answers = section.locator(".wb-exercise-questions input");
        for (let at = 0; at < await answers.count(); at++) await answers.nth(at).fill("1");
        if (await answers.count() > 0) {
            await section.locator(".wb-exercise-check").click();
            await section.locator(".wb-exercise-said :is(.wb-exercise-passed, .wb-exercise-open, .wb-panel-fault)").first().waitFor();
            return ["judged"];
        }
        await section.getByRole("button", { name: "Solve it here" }).click();
        await section.locator(".cm-content, textarea").first().waitFor();
        return ["in-the-editor"];
    },
};

/** The panel whose editor is pictured, too. */
const EDITED = "machine-threads-number";

async function shoot({ browser, origin, folder }, file, ids, [theme, width]) {
    const context = await browser.newContext({
        serviceWorkers: "block", viewport: { width, height: 900 }, colorScheme: theme, reducedMotion: "reduce",
        hasTouch: width < 600, isMobile: width < 600, deviceScaleFactor: 1,
    });
    const failed = [];
    try {
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        await page.goto(`${origin}/${file}`, { waitUntil: "load" });
        // Its bar would lie over parts of what is higher than the window.
        await page.addStyleTag({ content: "#mdbook-menu-bar, #menu-bar, .menu-bar { position: static !important; }" });
        const take = (section, what) => section.screenshot({ path: path.join(folder, `${what}-${theme}-${width}.png`), timeout: 60_000 });
        for (const [id, kind] of ids) {
            try {
                await page.evaluate((own) => {
                    for (let node = document.getElementById(own); node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
                }, id);
                const section = page.locator(`#${id}`);
                await section.scrollIntoViewIfNeeded();
                await page.waitForSelector(`#${id}[data-state=ready]`);
                for (const what of await USES[kind](section, page, id)) await take(section, `${id}-${what}`);
                if (id === EDITED) {
                    await section.locator(".wb-panel-edit").click();
                    await section.locator(".cm-content, textarea").first().waitFor();
                    await take(section, `${id}-edited`);
                }
            } catch (error) {
                failed.push(`${file}, ${id} (${theme}, ${width} px): ${error.message}`);
            }
        }
    } finally {
        await orLater(context.close());
    }
    return failed;
}

/** Takes the pictures of the widgets of these pages into a folder; false where one could not be taken. */
export async function shots({ browser }, site, pages, folder, sideBySide) {
    await mkdir(folder, { recursive: true });
    const server = await serve(site);
    const jobs = [];
    for (const file of pages) {
        const html = await readFile(path.join(site, file), "utf8");
        const ids = [...html.matchAll(/<section class="wb-widget[^"]*" data-widget="(\w+)" id="([^"]+)"/g)].map(([, kind, id]) => [id, kind]);
        const known = ids.filter(([, kind]) => kind in USES);
        if (known.length > 0) jobs.push(...LOOKS.map((look) => [file, known, look]));
    }
    const failed = [];
    await sideBySide(jobs, async ([file, ids, look]) => failed.push(...await shoot({ browser, origin: server.origin, folder }, file, ids, look)));
    await server.close();
    for (const line of failed) console.log(`no picture: ${line}`);
    return failed.length === 0;
}
