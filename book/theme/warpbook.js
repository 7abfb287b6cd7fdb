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

    // What a reader has answered: the first answer is kept, and whether the answer was open before it.
    const answered = (key) => {
        try {
            const kept = JSON.parse(store.get(key));
            return typeof kept === "object" && kept !== null ? kept : {};
        } catch { return {}; }
    };
    const keepFirst = (key, answer, right) => {
        const kept = answered(key);
        if (kept.first === undefined) {
            Object.assign(kept, { first: answer, right: right && !kept.seen });
            store.set(key, JSON.stringify(kept));
        }
        progress();
        return kept;
    };
    // Whoever opens an answer before trying has seen it.
    const watchAnswer = (key, answer) => answer?.addEventListener("toggle", () => {
        const kept = answered(key);
        if (!answer.open || kept.first !== undefined || kept.seen) return;
        store.set(key, JSON.stringify({ ...kept, seen: true }));
    });

    // How many of the page's questions are answered, below its title.
    const progress = () => {
        const quizzes = [...document.querySelectorAll(".wb-quiz")];
        const line = document.querySelector(".wb-minutes");
        if (quizzes.length === 0 || !line || document.querySelectorAll(".wb-minutes").length > 1) return;
        const kept = quizzes.map((quiz) => answered(`quiz:${quiz.dataset.quiz}`)).filter((own) => own.first !== undefined);
        let place = line.querySelector(".wb-progress");
        if (!place) line.append(place = make("span", { class: "wb-progress" }));
        const right = kept.filter((own) => own.right).length;
        const all = `${quizzes.length} question${quizzes.length === 1 ? "" : "s"}`;
        place.textContent = kept.length === 0 ? ` · ${all}`
            : ` · ${kept.length} of ${all} answered, ${right} right at the first try`;
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
        const before = answered(key).first;
        if (before !== undefined) field.value = before;
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (field.value === "" || !Number.isFinite(field.valueAsNumber)) return;
            verdict.textContent = done(field.valueAsNumber);
        });
        return form;
    };

    const predictions = () => {
        document.querySelectorAll(".wb-predict[data-value]").forEach((box, at) => {
            const { value, shown, unit } = box.dataset;
            const answer = box.nextElementSibling;
            const label = unit ? `Your prediction (${unit})` : "Your prediction";
            const key = `predict:${location.pathname}:${at}`;
            box.append(entry(label, key, (guess) => {
                const { first } = keepFirst(key, guess, guess === Number(value));
                if (answer?.matches("details.wb-answer")) answer.open = true;
                const says = judge(guess, Number(value), shown, unit);
                return first === guess ? says : `${says} Your first prediction was ${first}.`;
            }));
        });
    };

    const letterOf = (at) => String.fromCharCode(65 + at);

    const options = (quiz, list, answer) => {
        const name = `wb-${quiz.dataset.quiz}`;
        const key = `quiz:${quiz.dataset.quiz}`;
        const form = make("form", { class: "wb-choice" });
        const group = make("fieldset");
        group.append(make("legend", { class: "wb-hidden" }, "Options"));
        [...list.children].forEach((item, at) => {
            const label = make("label", { class: "wb-option" });
            const radio = make("input", { type: "radio", name, value: String(at) });
            radio.checked = answered(key).first === at;
            const letter = make("b", {}, letterOf(at));
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
            const label = chosen.closest("label");
            const right = label.dataset.right === "yes";
            const { first, seen } = keepFirst(key, Number(chosen.value), right);
            verdict.textContent = right ? "Right." : "No.";
            label.classList.add(right ? "wb-right" : "wb-tried");
            if (right) {
                answer.open = true;
                if (first !== Number(chosen.value)) verdict.append(` Your first answer was ${letterOf(first)}.`);
                else if (seen) verdict.append(" The answer was open before you tried.");
                return;
            }
            // The answer stays folded: there is another try.
            const reason = answer.querySelector(`.wb-reasons [data-option="${letterOf(Number(chosen.value))}"]`);
            if (reason) {
                const own = reason.cloneNode(true);
                own.querySelector("b")?.remove();
                const parts = [...own.children].filter((child) => child.tagName === "P");
                (parts.length > 0 ? parts : [own]).forEach((part) => verdict.append(" ", ...part.childNodes));
            }
            verdict.append(" Try again, or open the answer.");
        });
        list.replaceWith(form);
    };

    // A question for a number: whoever is wrong learns in which direction, and tries again. A number that is no whole one
    // need not be met: a twentieth above or below is near enough.
    const asked = (box, key, answer) => {
        const { shown, unit } = box.dataset;
        const value = Number(box.dataset.value);
        const form = entry(unit ? `Your answer (${unit})` : "Your answer", key, (guess) => {
            const near = !Number.isInteger(value) && Math.abs(guess / value - 1) <= 0.05;
            const right = guess === value || near;
            const { first, seen } = keepFirst(key, guess, right);
            if (!right) return `You said ${guess}: it is ${guess > value ? "less" : "more"}. Try again, or open the answer.`;
            if (answer) answer.open = true;
            const says = judge(guess, value, shown, unit);
            if (first !== guess) return `${says} Your first answer was ${first}.`;
            return seen ? `${says} The answer was open before you tried.` : says;
        });
        if (answer) answer.before(form);
        else box.append(form);
    };

    const quizzes = () => {
        document.querySelectorAll(".wb-quiz").forEach((quiz) => {
            const answer = quiz.querySelector("details.wb-answer");
            const list = quiz.querySelector("ol.wb-options");
            watchAnswer(`quiz:${quiz.dataset.quiz}`, answer);
            quiz.querySelectorAll(".wb-again").forEach((box, at) => asked(box, `again:${quiz.dataset.quiz}:${at}`, null));
            if (list) options(quiz, list, answer);
            else if (quiz.dataset.value !== undefined) asked(quiz, `quiz:${quiz.dataset.quiz}`, answer);
        });
        progress();
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

    // The pages show commands as they can be typed in a clone of the repository. Whoever has installed the program says so
    // once, on the page about the commands, and reads its name from then on.
    const CLONE = "cargo run --release -- ";
    const commands = () => {
        const installed = store.get("installed") === "yes";
        const [from, to] = installed ? [CLONE, "warpbook "] : ["warpbook ", CLONE];
        document.querySelectorAll("main code").forEach((code) => {
            if (!installed && code.dataset.installed !== "yes") return;
            const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
            for (let text = texts.nextNode(); text; text = texts.nextNode()) {
                if (!text.data.includes(from)) continue;
                text.data = text.data.replaceAll(from, to);
                code.dataset.installed = "yes";
            }
            if (!installed) delete code.dataset.installed;
        });
        const place = document.querySelector(".wb-installed");
        if (!place || place.querySelector("input")) return;
        const label = make("label");
        const box = make("input", { type: "checkbox" });
        box.checked = installed;
        box.addEventListener("change", () => {
            store.set("installed", box.checked ? "yes" : "no");
            commands();
        });
        label.append(box, " I have installed it: show commands as `warpbook …`");
        place.replaceChildren(label);
    };

    // A long chapter has several pages. A link to a place in it leads to the first; from there on to the page that has it.
    const moved = () => {
        // What follows a `~` is a widget's. An address that nobody encoded leads nowhere.
        const [own, ...rest] = location.hash.slice(1).split("~");
        let id = "";
        try { id = decodeURIComponent(own); } catch { return; }
        const list = document.querySelector("main script.wb-moved");
        if (!id || !list || document.getElementById(id)) return;
        const pages = JSON.parse(list.textContent);
        if (Object.hasOwn(pages, id)) location.replace(`${pages[id]}#${[id, ...rest].join("~")}`);
    };

    // What is wider than the screen scrolls within its frame, and says so.
    const cues = () => {
        const tell = (box) => {
            const before = box.previousElementSibling;
            const cue = before?.matches(".wb-cue") ? before : null;
            const wide = box.scrollWidth > box.clientWidth + 1;
            if (wide && !cue) {
                const what = box.querySelector("svg") ? "figure" : "table";
                box.before(make("p", { class: "wb-cue" }, `The ${what} goes on to the right: scroll it sideways \u2192`));
            } else if (!wide && cue && box.clientWidth > 0) {
                cue.remove();
            }
        };
        // What is folded or a later step has no width yet: this also notices when it gets one. What is in a frame grows
        // alone when the page's fonts come late, and the frame does not: both are observed.
        const frames = "main :is(.wb-scroll, .wb-table, .table-wrapper)";
        const sizes = new ResizeObserver((changes) => {
            new Set(changes.map(({ target }) => target.closest(frames))).forEach((box) => { if (box) tell(box); });
        });
        document.querySelectorAll(frames).forEach((box) => {
            tell(box);
            [box, ...box.children].forEach((part) => sizes.observe(part));
        });
    };

    moved();
    window.addEventListener("hashchange", moved);
    commands();
    predictions();
    quizzes();
    steps();
    contents();
    scrollers();
    cues();
    window.addEventListener("resize", scrollers);
    document.querySelectorAll("main details").forEach((answer) => answer.addEventListener("toggle", scrollers));
})();
