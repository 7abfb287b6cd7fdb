// A check that cannot fail is worth nothing. Here the built pages themselves are broken, in every way that `kinds.mjs`
// names, and the checks must say so of the broken page and not of the sound one.
import { KINDS, tell } from "./kinds.mjs";
import { serve } from "./server.mjs";
import { visit } from "./visit.mjs";

const DESK = { theme: "light", width: 1280 };
const PHONE = { theme: "light", width: 390 };
const NIGHT = { theme: "dark", width: 1280 };
const PLAIN = { theme: "light", width: 390, javascript: false };

/** Puts `html` at the start of the page's text. */
const add = (html) => (text) => text.replace("<main>", `<main>${html}`);
/** Changes the first place that is `from`, which must be there, and all others if it is a global expression. */
const change = (from, to) => (text) => text.replace(from, to);

/** Puts a table there that gets wider, and no higher, when all of the page has come: as one does whose font comes late. */
const grows = add(`<div class="wb-table"><table><tr><td><i style="display:inline-block;width:9px">1</i></td></tr></table></div>
    <script>addEventListener("load", () => { document.querySelector("main .wb-table i").style.width = "3000px"; });</script>`);

/**
 * `[kind, what is done, files that are changed, the change, the look, the checks]`. The page is the first one, in the order
 * of the site, whose text matches the last entry; without it, the first of all.
 */
const DEFECTS = [
    ["script", "a script fails", /\.html$/, add("<script>nothing.here()</script>"), DESK, []],
    ["script", "a script complains", /\.html$/, add("<script>console.error('no')</script>"), DESK, []],
    ["request", "a style sheet is gone", /\.html$/, add('<link rel="stylesheet" href="gone.css">'), DESK, []],
    ["outside", "an image comes from elsewhere", /\.html$/, add('<img alt="" src="http://elsewhere.invalid/a.png">'), DESK, []],
    ["image", "an image is gone", /\.html$/, add('<img alt="" src="gone.png">'), DESK, ["inspect"]],
    ["theme", "dark is light", /\.html$/, change('default_dark_theme = "navy"', 'default_dark_theme = "light"'), NIGHT, ["inspect"]],
    ["overflow", "a box is wider than a phone", /\.html$/, add('<div style="width:500px">wide</div>'), PHONE, ["inspect"]],
    ["overflow", "a table does not scroll", /warpbook.*\.css$/, (text) => text.replaceAll("overflow-x: auto", "overflow-x: visible"),
        PHONE, ["inspect"], /class="wb-table"/],
    ["height", "a page is too long", /\.html$/, add('<div style="height:12001px"></div>'), DESK, ["inspect"]],
    ["cue", "nothing says that a figure goes on", /warpbook.*\.js$/, change('box.before(make("p", { class: "wb-cue" }', 'void (make("p", {}'),
        PHONE, ["inspect"], /aria-label="Sectors that a warp touches"/],
    ["cue", "without JavaScript no shadow says so", /warpbook.*\.css$/, change(".wb-scroll, .wb-table {\n    background:", ".wb-none {\n    background:"),
        PLAIN, ["inspect"], /aria-label="Sectors that a warp touches"/],
    ["cue", "a table grows once the page is there", /\.html$|warpbook.*\.js$/, (text) => grows(text).replace("[box, ...box.children]", "[box]"),
        DESK, ["inspect"]],
    ["font", "a drawing has a font of its own", /\.html$/,
        change(/(<svg[^>]* aria-description=[^>]*>)/, '$1<text x="20" y="20" style="font-family:serif">one</text>'), DESK, ["inspect"],
        /aria-description=/],
    ["font", "a text of a drawing is larger", /drawings.*\.css$|warpbook.*\.css$/, change("font-size: var(--wb-figure-small)", "font-size: 17px"),
        { ...DESK, width: 1920 }, ["inspect"], /class="wb-svg-(lane|bank)"/],
    ["clipped", "a line is cut off", /\.html$/,
        add('<p style="width:90px;overflow:hidden;white-space:nowrap">more than fits into the box</p>'), DESK, ["inspect"]],
    ["listing", "a line of code is too long", /\.html$/, add(`<pre><code>${"x ".repeat(80)}</code></pre>`), DESK, ["inspect"]],
    ["listing", "code is written larger", /warpbook.*\.css$/, (text) => `${text}\nmain pre { --code-font-size: 2rem }`, DESK,
        ["inspect"], /class="wb-listing"/],
    ["markup", "a directive is left", /\.html$/, add("<p>{{#wb number}}</p>"), DESK, ["inspect"]],
    ["markup", "a tag is shown", /\.html$/, add("<p>&lt;div&gt;</p>"), DESK, ["inspect"]],
    ["drawing", "a drawing is gone", /\.html$/, change(/(<figure class="wb-figure">.*?)<svg.*?<\/svg>/s, "$1"), DESK, ["inspect"],
        /<figure class="wb-figure">/],
    ["drawing", "a drawing has no description", /\.html$/, change(/ aria-description="[^"]*"/, ""), DESK, ["inspect"],
        /aria-description=/],
    ["label", "two texts lie over each other", /\.html$/,
        change(/(<svg[^>]* aria-description=[^>]*>)/, '$1<text x="20" y="20">one</text><text x="22" y="20">two</text>'), DESK, ["inspect"],
        /aria-description=/],
    ["label", "a text lies outside", /\.html$/, change(/(<svg[^>]* aria-description=[^>]*>)/, '$1<text x="-30" y="20">out</text>'), DESK,
        ["inspect"], /aria-description=/],
    ["reach", "a summary is left out", /\.html$/, change("<summary>", '<summary tabindex="-1">'), DESK, ["reach"],
        /<summary>/],
    ["reach", "the button for the contents is a label again", /warpbook.*\.js$/, change("toggle.tabIndex = 0", "toggle.tabIndex = -1"),
        PHONE, ["reach"]],
    ["contents", "Enter does not open the contents", /warpbook.*\.js$/, change("toggle.click()", "toggle.focus()"), PHONE, ["contents"]],
    ["answer", "an answer is not folded any more", /\.html$/, change("<summary>", "<summary onclick='event.preventDefault()'>"),
        DESK, ["keyboard"], /class="wb-answer"/],
    ["steps", "an arrow does nothing", /warpbook.*\.js$/, change('"ArrowRight"', '"Right"'), DESK, ["keyboard"], /class="wb-steps"/],
    ["steps", "an arrow also turns the page", /warpbook.*\.js$/, (text) => text.replaceAll("event.stopPropagation();", "event.type;"),
        DESK, ["keyboard"], /class="wb-steps"/],
    ["steps", "the buttons do not show the focus", /\.css$/, (text) => text.replaceAll("outline", "x-outline").concat(
        "*:focus-visible { outline: none !important; }"), DESK, ["keyboard"], /class="wb-steps"/],
    ["predict", "a guess is judged wrongly", /warpbook.*\.js$/, change("guess === value", "guess > value"), DESK, ["keyboard"],
        /class="wb-predict" data-value/],
    ["predict", "the answer stays folded", /warpbook.*\.js$/,
        change('if (answer?.matches("details.wb-answer")) answer.open = true;', ""), DESK,
        ["keyboard"], /class="wb-predict" data-value/],
    ["quiz", "a wrong option is called right", /warpbook.*\.js$/, change('textContent = right ?', "textContent = !right ?"), DESK,
        ["keyboard"], /class="wb-options"/],
    ["quiz", "a wrong answer unfolds the right one", /warpbook.*\.js$/, change("if (right) {\n                answer.open = true;", "answer.open = true;\n            if (right) {"),
        DESK, ["keyboard"], /class="wb-options"/],
    ["quiz", "no option is right", /\.html$/, (text) => text.replaceAll(' data-right="yes"', ""), DESK, ["keyboard"],
        /class="wb-options"/],
    ["widget", "a step leads the wrong way", /lab\/explorer-fields\.js$/, change("input.stepUp()", "input.stepDown()"), DESK,
        ["explorer: by touch alone"],
        /id="machine-banks-strides"/],
    ["widget", "an address is not read", /lab.*\.js$/, change("own.has && own.id === id", "own.id === null"), DESK,
        ["explorer: by a link"],
        /id="machine-banks-strides"/],
    ["widget", "what is typed into an editor is not kept", /lab\/edit\.js$/, change("lab.store.set(key(tab),", "void (key(tab),"), DESK,
        ["edit: PTX by keyboard"],
        /id="machine-threads-number"/],
    ["widget", "another kernel is run than the edited one", /lab\/panel\.js$/, change("ptx: made.ptx", "ptx: state.ptx"), DESK,
        ["edit: PTX by keyboard"],
        /id="machine-threads-number"/],
    ["slow", "a key keeps the page busy", /lab.*\.js$/, change("event.stopPropagation();\n            if (event.defaultPrevented",
        "for (const end = performance.now() + 700; performance.now() < end;);\n            event.stopPropagation();\n            if (event.defaultPrevented"),
        DESK, ["responds: machine-banks-strides"], /id="machine-sectors-apart"/],
    ["search", "the index has no such words", /searchindex.*\.js$/, (text) => text.replaceAll("bank", "tank"), DESK, ["search"]],
    ["search", "there is no index", /searchindex.*\.js$/, () => "", DESK, ["search"]],
    ["plain", "a frame waits for the script", /\.html$/, change('class="wb-frame"', 'class="wb-frame" hidden'), PLAIN, ["inspect"],
        /class="wb-frame"/],
    ["plain", "options wait for the script", /\.css$/, (text) => `${text}\n.wb-options { display: none }`, PLAIN, ["inspect"],
        /class="wb-options"/],
    ["print", "answers stay folded on paper", /warpbook.*\.js$/, change('"beforeprint"', '"before-print"'), DESK, ["paper"],
        /class="wb-answer"/],
    ["print", "frames stay open after printing", /warpbook.*\.js$/, change("frame.hidden = true", "frame.hidden = false"), DESK,
        ["paper"], /class="wb-steps"/],
    ["axe", "a button has no name", /\.html$/, add("<button type='button'></button>"), DESK, ["axe"]],
    ["axe", "a text is too pale", /\.html$/, add("<p style='color:#bbb;background:#fff'>pale</p>"), DESK, ["axe"]],
    ["axe", "a text is too dark at night", /\.html$/, add("<p style='color:#444;background:#111'>dark</p>"), NIGHT, ["axe-colours"]],
    ["axe", "an image has no text, on a phone", /\.html$/, add('<img src="favicon.png">'), PHONE, ["axe-shape"]],
];

/** Breaks the site in every way, a few at a time by `sideBySide`, and tells what was not noticed. */
export async function selfTest(tools, site, pages, sideBySide, read) {
    const texts = new Map();
    for (const page of pages) texts.set(page, await read(page));
    const missed = [];
    const sound = await serve(site);
    const before = new Map();
    const jobs = DEFECTS.map(([kind, what, files, edit, look, checks, text = /<main>/]) => {
        // The smallest page that has what is broken: it is the quickest.
        const having = pages.filter((page) => text.test(texts.get(page)));
        having.sort((a, b) => texts.get(a).length - texts.get(b).length);
        return { kind, what, files, edit, look, checks, page: having[0] };
    });
    // What is measured is measured alone. Those that use a widget or wait for a search take longest: next, so that none is left when
    // all others are done.
    const has = (name) => ({ checks }) => checks.some((check) => check.startsWith(name));
    const measured = jobs.filter(has("responds"));
    const others = jobs.filter((job) => !has("responds")(job));
    const uses = (job) => has("explorer")(job) || has("edit")(job) || has("search")(job);
    others.sort((a, b) => uses(b) - uses(a));
    const took = [];
    const work = async ({ kind, what, files, edit, look, checks, page }) => {
        const began = Date.now();
        if (!page) {
            missed.push(`${kind}: no page has what “${what}” would break, so that check tests nothing`);
            return;
        }
        let changed = false;
        const server = await serve(site, (file, text) => {
            if (!files.test(file)) return text;
            const broken = edit(text);
            changed ||= broken !== text;
            return broken;
        });
        const key = JSON.stringify([page, look, checks]);
        // How soon widgets answer is measured only where the built site is told.
        const own = checks.some((check) => check.startsWith("responds")) ? { ...tools, site } : tools;
        if (!before.has(key)) before.set(key, visit(own, sound.origin, page, look, checks));
        const sum = ({ kind: said, where, what: words }) => JSON.stringify([said, where, words]);
        const known = new Set((await before.get(key)).map(sum));
        const found = (await visit(own, server.origin, page, look, checks)).filter((finding) => !known.has(sum(finding)));
        await server.close();
        took.push([Date.now() - began, what]);
        if (!changed) missed.push(`${kind}: “${what}” changed nothing in ${page} and its files; make it break them again`);
        else if (!found.some((finding) => finding.kind === kind)) {
            const instead = found.length > 0 ? `; instead:\n${tell(found).join("\n")}` : "";
            missed.push(`${kind}: nothing was said of ${page} when ${what}${instead}`);
        }
    };
    for (const job of measured) await work(job);
    await sideBySide(others, work);
    await sound.close();
    for (const kind of Object.keys(KINDS)) {
        if (!DEFECTS.some(([own]) => own === kind)) missed.push(`${kind}: no defect shows that it is found`);
    }
    for (const line of missed) console.log(`the checks are broken: ${line}`);
    const [longest, slowest] = took.sort(([a], [b]) => b - a)[0];
    console.log(`the slowest took ${(longest / 1000).toFixed(1)} s: ${slowest}`);
    console.log(`self-test: ${DEFECTS.length - missed.length} of ${DEFECTS.length} defects were found`);
    return missed.length === 0;
}
