// What can be wrong with a page, why it matters to a reader, and how a finding is told.

/** The kinds of findings, and what each means for a reader. `defects.mjs` breaks pages in each of these ways. */
export const KINDS = {
    script: "an error of JavaScript: what the page does after it, predictions and steps among it, may be gone",
    request: "a file that the page asks for is not there: something is missing on the page",
    outside: "the page asks another machine for something: the book is read offline, and readers are not told to others",
    theme: "the page does not follow the reader's choice of light or dark",
    overflow: "the page is wider than the screen: what sticks out cannot be seen, since the page does not scroll sideways",
    height: "the page is too long to find one's way in: the chapter is to be cut, with `{{#wb page …}}`",
    cue: "what goes on beyond the edge of the screen says nothing of it: readers take the part that they see for all",
    font: "text of a drawing has another font or size than all other drawings",
    clipped: "text is cut off at the edge of its box, and nothing scrolls there",
    listing: "lines of code are cut off although the screen is wide: who reads must scroll for every one of them",
    markup: "markup or a directive is shown as text: the chapter's Markdown is broken here",
    drawing: "a drawing is missing, or has no title and description: who cannot see it learns nothing from it",
    label: "text of a drawing lies over other text or outside of the drawing: it cannot be read",
    image: "an image is not shown",
    reach: "Tab does not get there: who uses no mouse cannot use it",
    contents: "the table of contents cannot be opened and closed with the keyboard",
    steps: "the figure cannot be stepped through with the keyboard",
    quiz: "the question cannot be answered with the keyboard, or is judged wrongly",
    predict: "the prediction cannot be entered with the keyboard, or is judged wrongly",
    slow: "what a reader does is seen late while a simulation runs: the page seems to hang",
    widget: "what readers try out does not answer, or answers wrongly",
    answer: "the folded answer cannot be opened with the keyboard",
    search: "the search does not find what stands in the book",
    plain: "without JavaScript a part of the page is not shown",
    print: "a part of the page is missing on paper",
    axe: "a barrier for readers with a disability",
};

/** How a page is looked at: `light, 390 px`. */
export const lookName = (look) =>
    `${look.theme}, ${look.width} px${look.javascript === false ? ", without JavaScript" : ""}`;

/** The findings as lines of text. What several looks at a page have in common is told once. */
export function tell(findings) {
    const groups = new Map();
    for (const { page, look, kind, where, what } of findings) {
        const key = JSON.stringify([page, kind, where]);
        const group = groups.get(key) ?? { page, kind, where, what, looks: new Set() };
        group.looks.add(lookName(look));
        groups.set(key, group);
    }
    return [...groups.values()].map(({ page, kind, where, what, looks }) =>
        `${page} (${[...looks].sort().join("; ")})\n    ${kind}: ${what}\n    where: ${where}\n    why it matters: ${KINDS[kind]}`);
}
