// What the book's pages do with JavaScript. Without it, answers are folded, and all steps of a figure are shown.
"use strict";

(() => {
    // Answers stay in this browser. Where storage is forbidden, they are forgotten with the page.
    const store = {
        get(key) {
            try { return localStorage.getItem(key); } catch { return null; }
        },
        set(key, value) {
            try { localStorage.setItem(key, value); } catch { /* nothing to keep it in */ }
        },
    };

    const make = (tag, attributes = {}, text = "") => {
        const node = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
        node.textContent = text;
        return node;
    };

    // mdBook turns pages with the arrow keys; within our controls they belong to the control.
    const keep = (node) => node.addEventListener("keydown", (event) => {
        if (event.key.startsWith("Arrow")) event.stopPropagation();
    });

    // How a guess compares with the value, in words.
    const judge = (guess, value, shown, unit) => {
        const what = unit ? `${shown} ${unit}` : shown;
        if (guess === value) return `You said ${guess}, and it is ${what}. Exactly.`;
        if (guess > 0 && value > 0) {
            const factor = Math.max(guess / value, value / guess);
            const close = factor < 10 ? factor.toFixed(factor < 1.1 ? 2 : 1) : factor.toFixed(0);
            return `You said ${guess}, and it is ${what}: ${guess > value ? "less" : "more"} by a factor of ${close}.`;
        }
        return `You said ${guess}, and it is ${what}.`;
    };

    // A field for a number, and what happens when one is entered.
    let fields = 0;
    const entry = (label, key, done) => {
        const form = make("form", { class: "wb-entry" });
        const id = `wb-field-${fields += 1}`;
        form.append(make("label", { for: id }, label));
        const field = make("input", { id, type: "number", step: "any", inputmode: "decimal", autocomplete: "off" });
        form.append(field, make("button", { type: "submit" }, "Check"));
        const verdict = make("p", { class: "wb-verdict", "aria-live": "polite" });
        form.append(verdict);
        keep(form);
        const before = store.get(key);
        if (before !== null) field.value = before;
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (field.value === "" || !Number.isFinite(field.valueAsNumber)) return;
            store.set(key, field.value);
            verdict.textContent = done(field.valueAsNumber);
        });
        return form;
    };

    const predictions = () => {
        document.querySelectorAll(".wb-predict[data-value]").forEach((box, at) => {
            const { value, shown, unit } = box.dataset;
            const answer = box.nextElementSibling;
            const label = unit ? `Your prediction (${unit})` : "Your prediction";
            box.append(entry(label, `predict:${location.pathname}:${at}`, (guess) => {
                if (answer?.matches("details.wb-answer")) answer.open = true;
                return judge(guess, Number(value), shown, unit);
            }));
        });
    };

    const options = (quiz, list, answer) => {
        const name = `wb-${quiz.dataset.quiz}`;
        const key = `quiz:${quiz.dataset.quiz}`;
        const form = make("form", { class: "wb-choice" });
        const group = make("fieldset");
        group.append(make("legend", { class: "wb-hidden" }, "Options"));
        [...list.children].forEach((item, at) => {
            const label = make("label", { class: "wb-option" });
            const radio = make("input", { type: "radio", name, value: String(at) });
            radio.checked = store.get(key) === String(at);
            const letter = make("b", {}, String.fromCharCode(65 + at));
            const text = make("span");
            // The paragraph's content, since a label holds no paragraphs.
            const paragraphs = [...item.children].filter((child) => child.tagName === "P");
            if (paragraphs.length === item.children.length) {
                paragraphs.forEach((paragraph) => text.append(...paragraph.childNodes, " "));
            } else {
                text.append(...item.childNodes);
            }
            label.append(radio, letter, text);
            label.dataset.right = item.dataset.right ?? "";
            group.append(label);
        });
        const verdict = make("p", { class: "wb-verdict", "aria-live": "polite" });
        form.append(group, make("button", { type: "submit" }, "Check"), verdict);
        keep(form);
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            const chosen = form.querySelector("input:checked");
            if (!chosen) {
                verdict.textContent = "Choose an answer first.";
                return;
            }
            store.set(key, chosen.value);
            const right = chosen.closest("label").dataset.right === "yes";
            form.querySelectorAll("label").forEach((label) => {
                label.classList.toggle("wb-right", label.dataset.right === "yes");
            });
            verdict.textContent = right ? "Right. Read why below." : "No. Read why below.";
            answer.open = true;
        });
        list.replaceWith(form);
    };

    const quizzes = () => {
        document.querySelectorAll(".wb-quiz").forEach((quiz) => {
            const answer = quiz.querySelector("details.wb-answer");
            const list = quiz.querySelector("ol.wb-options");
            if (list) {
                options(quiz, list, answer);
            } else if (quiz.dataset.value !== undefined) {
                const { value, shown, unit } = quiz.dataset;
                const label = unit ? `Your answer (${unit})` : "Your answer";
                answer.before(entry(label, `quiz:${quiz.dataset.quiz}`, (guess) => {
                    answer.open = true;
                    return judge(guess, Number(value), shown, unit);
                }));
            }
        });
    };

    const steps = () => {
        document.querySelectorAll(".wb-steps").forEach((figure) => {
            const frames = [...figure.querySelectorAll(":scope > .wb-frame")];
            if (frames.length < 2) return;
            let at = 0;
            const bar = make("div", { class: "wb-controls" });
            const back = make("button", { type: "button" }, "Back");
            const next = make("button", { type: "button" }, "Next");
            const all = make("button", { type: "button", "aria-pressed": "false" }, "All");
            const place = make("span", { "aria-live": "polite" });
            bar.append(back, next, place, all);
            const show = () => {
                const together = all.getAttribute("aria-pressed") === "true";
                frames.forEach((frame, own) => { frame.hidden = !together && own !== at; });
                place.textContent = together ? `${frames.length} steps` : `${at + 1} of ${frames.length}`;
                // Disabled by attribute only, so that the focus stays where it is.
                back.setAttribute("aria-disabled", String(together || at === 0));
                next.setAttribute("aria-disabled", String(together || at === frames.length - 1));
            };
            const go = (by) => {
                if (all.getAttribute("aria-pressed") === "true") return;
                at = Math.min(Math.max(at + by, 0), frames.length - 1);
                show();
            };
            back.addEventListener("click", () => go(-1));
            next.addEventListener("click", () => go(1));
            all.addEventListener("click", () => {
                all.setAttribute("aria-pressed", String(all.getAttribute("aria-pressed") !== "true"));
                show();
            });
            figure.addEventListener("keydown", (event) => {
                if (event.target.matches("input, textarea, select")) return;
                if (event.key === "ArrowRight") go(1);
                else if (event.key === "ArrowLeft") go(-1);
                else return;
                event.preventDefault();
                event.stopPropagation();
            });
            figure.prepend(bar);
            show();
        });
    };

    // On paper everything is shown, and afterwards what was shown before.
    window.addEventListener("beforeprint", () => {
        const folded = [...document.querySelectorAll("main details:not([open])")];
        const hidden = [...document.querySelectorAll(".wb-frame[hidden]")];
        folded.forEach((answer) => { answer.open = true; });
        hidden.forEach((frame) => { frame.hidden = false; });
        window.addEventListener("afterprint", () => {
            folded.forEach((answer) => { answer.open = false; });
            hidden.forEach((frame) => { frame.hidden = true; });
        }, { once: true });
    });

    // mdBook opens the table of contents by a label, which the keyboard does not reach and which says of itself what
    // only a button may say.
    const contents = () => {
        const toggle = document.getElementById("mdbook-sidebar-toggle");
        if (!toggle) return;
        toggle.setAttribute("role", "button");
        toggle.tabIndex = 0;
        toggle.setAttribute("aria-expanded", String(document.documentElement.classList.contains("sidebar-visible")));
        // While it slides away, Tab must not lead into it.
        const bar = document.getElementById("mdbook-sidebar");
        document.getElementById("mdbook-sidebar-toggle-anchor")?.addEventListener("change", (event) => {
            bar.inert = !event.target.checked;
        });
        toggle.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            toggle.click();
        });
    };

    // Code that is wider than its box scrolls, also by the arrow keys when it has the focus.
    const scrollers = () => {
        document.querySelectorAll("main pre > code, main pre, main .table-wrapper, main .wb-math").forEach((box) => {
            if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX === "auto") box.tabIndex = 0;
            else if (box.tabIndex === 0) box.removeAttribute("tabindex");
        });
    };

    predictions();
    quizzes();
    steps();
    contents();
    scrollers();
    window.addEventListener("resize", scrollers);
    document.querySelectorAll("main details").forEach((answer) => answer.addEventListener("toggle", scrollers));
})();
