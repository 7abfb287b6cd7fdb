// What is looked at within a page. These functions run in the browser: they are sent there as text, so each stands for
// itself and returns findings as `{ kind, where, what }`.

/** Makes `window.wbPlace(element)`: which element, and under which heading, in words. */
export function places() {
    window.wbPlace = (element) => {
        const name = (node) => {
            const id = node.id ? `#${node.id}` : "";
            const classes = [...node.classList].slice(0, 2).map((own) => `.${own}`).join("");
            return `${node.tagName.toLowerCase()}${id || classes}`;
        };
        const chain = [];
        for (let node = element; node && node.tagName !== "MAIN" && chain.length < 3; node = node.parentElement) {
            chain.unshift(name(node));
        }
        const heads = [...document.querySelectorAll("main :is(h1, h2, h3, h4)")];
        const above = heads.filter((head) =>
            head.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1);
        const text = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().replace(/\s+/g, " ");
        return chain.join(" > ") + (above ? `, under “${above.textContent.trim()}”` : "") +
            (text ? `, “${text.slice(0, 60)}”` : "");
    };
}

/** Opens all that is folded and shows all frames, so that everything is looked at. */
export function unfold() {
    document.querySelectorAll("main details").forEach((details) => { details.open = true; });
    document.querySelectorAll(".wb-frame").forEach((frame) => { frame.hidden = false; });
}

/** Has all widgets that can be seen brought, as they are when a reader comes near. */
export async function awaken() {
    for (const section of document.querySelectorAll("section.wb-widget")) {
        if (!section.checkVisibility()) continue;
        section.scrollIntoView();
        for (let waits = 0; waits < 200 && !section.dataset.state; waits++) await new Promise((next) => { setTimeout(next, 100); });
    }
    window.scrollTo(0, 0);
}

/** Ends when the page was drawn twice. */
export async function drawn() {
    for (let frame = 0; frame < 2; frame++) await new Promise((next) => { requestAnimationFrame(() => setTimeout(next)); });
}

/** How long the page is, as a reader finds it: with what is folded closed. */
export function inspectHeight(most) {
    const height = document.documentElement.scrollHeight;
    return height <= most ? [] :
        [{ kind: "height", where: "the page as a whole", what: `it is ${height} px high; at most ${most} are allowed` }];
}

/** What can be seen on the page: its size, its drawings, its images, its text. */
export function inspect({ dark, scripted }) {
    const found = [];
    const add = (kind, element, what) => found.push({ kind, where: window.wbPlace(element), what });
    const main = document.querySelector("main");
    const width = document.documentElement.clientWidth;

    const page = [document.documentElement, document.body, document.querySelector(".content")]
        .map((node) => getComputedStyle(node).backgroundColor.match(/[\d.]+/g).map(Number))
        .find(([, , , alpha = 1]) => alpha > 0) ?? [255, 255, 255];
    if ((page[0] + page[1] + page[2] < 384) !== dark) {
        add("theme", document.documentElement, `the page's background is rgb(${page.slice(0, 3)})`);
    }

    // Nothing may stick out of the screen, except within boxes that scroll by themselves.
    const scrolls = (node) => /auto|scroll/.test(getComputedStyle(node).overflowX);
    const cuts = (node) => /hidden|clip/.test(getComputedStyle(node).overflowX);
    const within = (node, test) => {
        for (let above = node.parentElement; above && above !== main.parentElement; above = above.parentElement) {
            if (test(above)) return above;
        }
        return null;
    };
    const outside = [];
    for (const node of document.querySelectorAll(".menu-bar *, main, main *")) {
        if (node.ownerSVGElement || node.closest("math math *, .wb-hidden")) continue;
        const box = node.getBoundingClientRect();
        if (box.width === 0 || box.height === 0) continue;
        // A field scrolls by itself, and what only screen readers get is cut on purpose.
        if (main.contains(node) && !node.matches("input") && cuts(node) && !scrolls(node) && node.tagName !== "svg" &&
            node.scrollWidth > node.clientWidth + 1) {
            add("clipped", node, `${node.scrollWidth - node.clientWidth} px of it are cut off`);
        }
        if (box.right <= width + 1 && box.left >= -1) continue;
        if (outside.some((other) => other.contains(node)) || within(node, (above) => scrolls(above) || cuts(above))) continue;
        outside.push(node);
        add("overflow", node, `it reaches from ${Math.round(box.left)} to ${Math.round(box.right)} px, the screen to ${width}`);
    }
    if (document.documentElement.scrollWidth > width + 1) {
        add("overflow", document.body, `the page is ${document.documentElement.scrollWidth} px wide, the screen ${width}`);
    }

    // What is wider than its frame says so: by a line above it, and without JavaScript by a shadow at its edge.
    for (const box of main.querySelectorAll(".wb-scroll, .wb-table, figure, figure > div")) {
        if (!scrolls(box) || box.scrollWidth <= box.clientWidth + 1) continue;
        const cue = box.previousElementSibling;
        const told = cue?.matches(".wb-cue") && cue.checkVisibility() && cue.getBoundingClientRect().right <= width + 1;
        const shaded = getComputedStyle(box).backgroundImage.includes("gradient");
        if (!shaded || (told !== true && scripted)) {
            add("cue", box, `${box.scrollWidth - box.clientWidth} px of it are beyond the edge, and nothing says so`);
        }
    }

    // All drawings have one font, in the few sizes of the style sheet.
    const root = getComputedStyle(document.documentElement);
    const family = root.getPropertyValue("--wb-figure-font").trim();
    const sizes = ["title", "text", "small"].map((name) => root.getPropertyValue(`--wb-figure-${name}`).trim());
    for (const text of main.querySelectorAll("svg text")) {
        const { fontFamily, fontSize } = getComputedStyle(text);
        if (fontFamily === family && sizes.includes(fontSize)) continue;
        add("font", text, `it is ${fontSize} of ${fontFamily}`);
    }

    // Drawings: there, named, and readable.
    for (const figure of main.querySelectorAll("figure.wb-figure")) {
        if (!figure.querySelector("svg")) add("drawing", figure, "the figure has no drawing");
    }
    for (const svg of main.querySelectorAll("figure svg, .wb-steps svg, svg[role]")) {
        const box = svg.getBoundingClientRect();
        if (box.width < 20 || box.height < 8) {
            add("drawing", svg.parentElement, `the drawing is ${Math.round(box.width)} by ${Math.round(box.height)} px`);
            continue;
        }
        const text = (name) => svg.getAttribute(name)?.trim() ?? "";
        if (svg.getAttribute("role") !== "img" || !text("aria-label") || !text("aria-description")) {
            add("drawing", svg, "it has not all of role=\"img\", a title and a description");
        }
        const labels = [...svg.querySelectorAll("text")].filter((node) => node.textContent.trim() !== "")
            .map((node) => ({ node, box: node.getBBox() }));
        const view = svg.viewBox.baseVal;
        for (const { node, box: own } of labels) {
            if (own.x < view.x - 1 || own.x + own.width > view.x + view.width + 1 ||
                own.y + own.height > view.y + view.height + 3 || own.y < view.y - 3) {
                add("label", node, `“${text("aria-label")}”: the text lies outside of the drawing`);
            }
        }
        // The box of a text has room for accents and descenders, which few letters use.
        const core = ({ x, y, width: w, height: h }) => ({ x, right: x + w, y: y + h * 0.25, bottom: y + h * 0.8 });
        labels.forEach((first, at) => labels.slice(at + 1).forEach((second) => {
            const [a, b] = [core(first.box), core(second.box)];
            const across = Math.min(a.right, b.right) - Math.max(a.x, b.x);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y);
            if (across > 0.5 && down > 0.5) {
                add("label", second.node, `“${text("aria-label")}”: it lies over “${first.node.textContent.trim()}”`);
            }
        }));
    }

    for (const image of document.images) {
        if (!image.complete || image.naturalWidth === 0) add("image", image, `${image.getAttribute("src")} is not shown`);
    }

    // Markup that is shown as text. Code may hold anything.
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement.closest("code, pre, script, style, svg")) continue;
        const wrong = node.textContent.match(/\{\{#|<\/?(div|svg|table|figure|details|span|p)\b|class="|\]\([\w./#-]+\)|\*\*/);
        if (wrong) add("markup", node.parentElement, `“${wrong[0]}” stands in the text`);
    }
    return found;
}

/** What must be seen without JavaScript: every frame, every option, every drawing, and answers that unfold by themselves. */
export function inspectPlain() {
    const found = [];
    const add = (element, what) => found.push({ kind: "plain", where: window.wbPlace(element), what });
    const seen = (node) => node.checkVisibility() && node.getBoundingClientRect().height > 1;
    for (const details of document.querySelectorAll("main details")) {
        const summary = details.querySelector(":scope > summary");
        if (!summary || !seen(summary)) add(details, "the folded answer has no line to open it by");
        details.open = true;
    }
    const parts = document.querySelectorAll("main :is(.wb-frame, .wb-options li, .wb-predict, .wb-quiz, figure, table)");
    for (const part of parts) {
        if (!seen(part)) add(part, "it is not shown");
    }
    return found;
}

/** What must be seen on paper. */
export function inspectPaper() {
    window.dispatchEvent(new Event("beforeprint"));
    const found = [];
    for (const part of document.querySelectorAll("main :is(.wb-frame, .wb-quiz, figure, table, details > :not(summary))")) {
        // On paper the pages of a chapter follow each other: of the versions so far, the last page's table has all.
        if (part.closest(".wb-summary")) continue;
        // Controls are for hands: paper shows none of them, and which of them are hidden depends on the others.
        if (part.closest("fieldset.wb-lab-controls")) continue;
        if (part.checkVisibility() && part.getBoundingClientRect().height > 1) continue;
        if (part.matches("details > *") && part.textContent.trim() === "") continue;
        found.push({ kind: "print", where: window.wbPlace(part), what: "it is not shown on paper" });
    }
    window.dispatchEvent(new Event("afterprint"));
    for (const figure of document.querySelectorAll(".wb-steps")) {
        const shown = [...figure.querySelectorAll(":scope > .wb-frame")].filter((frame) => !frame.hidden).length;
        if (shown > 1) found.push({ kind: "print", where: window.wbPlace(figure), what: `${shown} frames stay after printing` });
    }
    return found;
}
