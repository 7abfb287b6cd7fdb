// Reads pages as somebody does who has a keyboard and no mouse: every key goes through the browser, none to the script.
import { focusWithin, keyboardOf } from "./keys.mjs";

/** Every link, button, field and folded answer gets the focus at some time when Tab is pressed often enough. */
async function reach(page, keys) {
    const wanted = await page.evaluate(() => {
        window.wbReached = new Set();
        document.addEventListener("focusin", (event) => window.wbReached.add(event.target));
        return document.querySelectorAll("a, button, input, summary, label, [tabindex]").length;
    });
    for (let at = 0; at < wanted + 50; at += 50) await keys.send(Array(50).fill("Tab"));
    return page.evaluate(() => {
        const controls = [...document.querySelectorAll(
            "main :is(a[href], button, input, summary), .menu-bar :is(a, button, label[for])")];
        const group = (node) => node.type === "radio"
            ? [...document.querySelectorAll(`input[name="${node.name}"]`)]
            : [node];
        // What waits for a guess is switched off until then.
        return controls.filter((node) => node.checkVisibility() && !node.matches(":disabled") && !group(node).some((own) => window.wbReached.has(own)))
            .map((node) => ({ kind: "reach", where: window.wbPlace(node), what: "Tab passes it by" }));
    });
}

/** Opens and closes the table of contents. */
async function contents(page, keys, toggle) {
    const state = (node) => [document.documentElement.classList.contains("sidebar-visible"), node.getAttribute("aria-expanded")];
    const [before] = await toggle.evaluate(state);
    await toggle.focus();
    for (const [key, wanted] of [["Enter", !before], ["Space", before]]) {
        const [[open, said]] = await keys.press(toggle, [key], state, { enter: false });
        // They slide, for a moment: longer on a machine that is busy.
        await page.evaluate(() => Promise.race([
            Promise.allSettled(document.getAnimations().map((own) => own.finished)).then(() => true),
            new Promise((done) => { setTimeout(done, 5000); }),
        ]));
        if (open !== wanted) return `${key} does not ${wanted ? "open" : "close"} the table of contents`;
        if (said !== String(open)) return `it says aria-expanded="${said}" when the contents are ${open ? "open" : "closed"}`;
    }
    return "";
}

/** Steps through a figure: arrows, then Next by Enter and Space, then all at once and back. */
async function steps(_page, keys, figure) {
    // Which frames are shown, from 0, and what has the focus.
    const state = `(node) => ({
        shown: [...node.querySelectorAll(":scope > .wb-frame")].flatMap((frame, at) => (frame.checkVisibility() ? [at] : [])),
        focus: (${focusWithin})(node, ".wb-controls button"),
    })`;
    const frames = await figure.evaluate((node) => node.querySelectorAll(":scope > .wb-frame").length);
    if (frames < 2) return "it has fewer than two frames";
    const all = Array.from({ length: frames }, (_, at) => at);
    const plan = [["Tab", [0]], ["ArrowRight", [1]], ["ArrowLeft", [0]], ["ArrowLeft", [0]], ["Tab", [0]]];
    for (const at of all.slice(1)) plan.push([at % 2 ? "Enter" : "Space", [at]]);
    plan.push(["Tab", [frames - 1]], ["Enter", all], ["Enter", [frames - 1]]);
    const states = await keys.press(figure, plan.map(([key]) => key), state);
    for (const [at, [key, wanted]] of plan.entries()) {
        const { shown, focus } = states[at];
        if (focus) return focus;
        if (shown.join() !== wanted.join()) {
            const pressed = plan.slice(0, at + 1).map(([own]) => own).join(" ");
            const numbers = (list) => list.map((own) => own + 1).join(", ");
            return `after ${key} (all keys: ${pressed}) frame ${numbers(shown)} is shown, and should be ${numbers(wanted)}`;
        }
    }
    return "";
}

/** Opens a folded answer, and closes it again unless there is something in it to be used. */
async function unfolded(_page, keys, answer) {
    const state = `(node) => ({ focus: (${focusWithin})(node, "summary"), open: node.open })`;
    const [reached, pressed] = await keys.press(answer, ["Tab", "Enter"], state);
    if (reached.focus) return reached.focus;
    if (!pressed.open) return "Enter does not open it";
    await answer.evaluate((node) => { node.open = node.querySelector(".wb-steps, .wb-quiz, .wb-predict, details") !== null; });
    return "";
}

/** Presses Tab until `selector` within `element` has the focus: links in a question come first. */
async function tabTo(keys, element, selector) {
    const tabs = await element.evaluate((node, wanted) => {
        const stops = [...node.querySelectorAll("a[href], button, input, summary, [tabindex='0']")];
        return Math.max(stops.findIndex((stop) => stop.matches(wanted)), 0) + 1;
    }, selector);
    return (await keys.press(element, Array(tabs).fill("Tab"), `(node) => (${focusWithin})(node, "${selector}")`)).at(-1);
}

/** A field for a number: a wrong number and the right one. `box` holds the field; what follows or is in it unfolds. */
async function number(page, keys, box) {
    const focus = await tabTo(keys, box, ".wb-entry input");
    if (focus) return focus;
    const right = await box.getAttribute("data-value");
    for (const guess of [String(Number(right) * 3 + 1), right]) {
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.insertText(guess);
        const [says] = await keys.press(box, ["Enter"], (node) => node.querySelector(".wb-verdict").textContent, { enter: false });
        if (!says.startsWith("You said ") || says.includes("Exactly") !== (guess === right)) {
            return `to ${guess}, where ${right} is right, it says “${says}”`;
        }
    }
    const open = await box.evaluate((node) => (node.querySelector("details") ?? node.nextElementSibling).open);
    return open ? "" : "the answer stays folded";
}

/** A question with options: chooses each, and demands that only the right one is called right. */
async function options(_page, keys, quiz) {
    const focus = await tabTo(keys, quiz, "input[type=radio]");
    if (focus) return focus;
    const rights = await quiz.evaluate((node) =>
        [...node.querySelectorAll("label.wb-option")].map((own) => own.dataset.right === "yes"));
    if (rights.filter(Boolean).length !== 1) return "not exactly one option is right";
    const plan = rights.flatMap((_, at) => [at === 0 ? "Space" : "ArrowDown", "Enter"]);
    const states = await keys.press(quiz, plan, (node) => ({
        at: Number(node.querySelector("input:checked")?.value ?? -1),
        says: node.querySelector(".wb-verdict").textContent,
        open: node.querySelector("details.wb-answer").open,
    }), { enter: false });
    for (const [own, right] of rights.entries()) {
        const { at, says, open } = states[2 * own + 1];
        if (at !== own) return `${plan[2 * own]} does not choose option ${own + 1}`;
        if (!says.startsWith(right ? "Right" : "No")) return `option ${own + 1} is ${right ? "right" : "wrong"}, and it says “${says}”`;
        // A wrong answer leaves another try.
        const wanted = rights.slice(0, own + 1).includes(true);
        if (open !== wanted) return open ? "a wrong answer unfolds the right one" : "the answer stays folded";
    }
    return "";
}

/** What a reader can use on a page, in the order in which it is tried: answers open first, since some hold the others. */
const USES = [
    ["contents", "#mdbook-sidebar-toggle", contents],
    ["answer", "main details", unfolded],
    ["steps", ".wb-steps", steps],
    ["predict", ".wb-predict[data-value]", number],
    ["quiz", ".wb-quiz:has(.wb-option)", options],
    ["quiz", ".wb-quiz[data-value]:not(:has(.wb-option))", number],
];

/** Uses everything on a page that a reader can use, or only some kinds of it, and returns the findings. */
export async function keyboard(page, kinds = ["reach", ...USES.map(([kind]) => kind)]) {
    const keys = await keyboardOf(page);
    const found = kinds.includes("reach") ? await reach(page, keys) : [];
    // No key may turn the page, as mdBook has arrow keys do.
    let left = "";
    const gone = new Promise((leave) => {
        page.on("request", (request) => {
            if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
            left ||= request.url();
            leave("");
        });
    });
    for (const [kind, selector, use] of USES.filter(([kind]) => kinds.includes(kind))) {
        const elements = await page.$$(selector);
        const places = await page.$$eval(selector, (all) => all.map((node) => window.wbPlace(node)));
        for (const [at, element] of elements.entries()) {
            let what = "";
            try {
                const used = use(page, keys, element).then(async (wrong) => {
                    // A request is told a moment after the key.
                    await page.evaluate(() => new Promise((done) => { setTimeout(done, 10); }));
                    return wrong;
                });
                // Keys that are still under way to a page that is gone are answered late or never.
                what = await Promise.race([used, gone]);
                used.catch(() => {});
            } catch (error) {
                if (!left) throw error;
            }
            if (left) what = `a key turns the page of the book, to ${new URL(left).pathname}; nothing after it was tested`;
            if (what) found.push({ kind, where: places[at], what });
            if (left) return found;
        }
    }
    return found;
}

/** Searches for `words` from an open page, by keys alone, and follows the first result, which must be on the page `taught`. */
export async function search(page, words, taught) {
    const wrong = (what) => [{ kind: "search", where: `the search for “${words}”`, what }];
    await page.keyboard.press("/");
    const bar = page.locator("#mdbook-searchbar");
    if (!await bar.evaluate((node) => document.activeElement === node)) return wrong("the key / does not open the search");
    await page.keyboard.type(words);
    const results = page.locator("#mdbook-searchresults a");
    try {
        await results.first().waitFor({ timeout: 20_000 });
    } catch {
        return wrong("there are no results");
    }
    await page.keyboard.press("ArrowDown");
    const wanted = await page.evaluate(() => document.activeElement.closest("li")?.querySelector("a")?.href ??
        document.querySelector("#mdbook-searchresults li.focus a")?.href);
    if (!wanted) return wrong("the arrow down leads to no result");
    await Promise.all([page.waitForEvent("load", { timeout: 20_000 }), page.keyboard.press("Enter")]);
    if (!new URL(page.url()).pathname.endsWith(taught)) return wrong(`the first result is ${page.url()}, and not on ${taught}`);
    const text = await page.evaluate(() => document.querySelector("main")?.textContent.toLowerCase() ?? "");
    const missing = words.split(" ").filter((word) => !text.includes(word));
    return missing.length > 0 ? wrong(`the first result, ${page.url()}, does not say “${missing.join(" ")}”`) : [];
}
