// Whether code is shown whole where there is room for it. As in `inspect.mjs`, the function runs in the browser.

/** From this width of the screen on, every line of code must be seen without scrolling. */
export const ROOM = 1280;

/** Listings, commands and outputs whose lines go beyond their box. */
export function inspectListings() {
    const found = [];
    for (const pre of document.querySelectorAll("main pre:not(.wb-gutter)")) {
        // The box that scrolls is the code's where the highlighter has been, else that around it.
        const boxes = [pre, ...pre.querySelectorAll(":scope > code")];
        const hidden = Math.max(...boxes.map((box) => box.scrollWidth - box.clientWidth));
        const inline = boxes.some((box) => getComputedStyle(box).display === "inline" && box !== pre);
        const code = pre.querySelector(":scope > code") ?? pre;
        const beyond = inline ? code.getBoundingClientRect().right - pre.getBoundingClientRect().right : 0;
        const most = Math.round(Math.max(hidden, beyond));
        if (most > 1) {
            const lines = code.textContent.split("\n");
            const longest = Math.max(...lines.map((line) => [...line].length));
            found.push({ kind: "listing", where: window.wbPlace(pre),
                what: `${most} px of it are hidden; its longest line has ${longest} columns` });
        }
    }
    return found;
}
