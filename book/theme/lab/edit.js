// Editors of the pages: `wbEdit.field` is one text with line numbers (CodeMirror, or a plain text field where the book was built
// without it), `wbEdit.pane` the two texts of a kernel panel, CUDA C++ and PTX, with what the compiler says of them. CUDA C++ is
// compiled by the program that serves the book, else by the page itself (`clang.js`).
"use strict";

window.wbEdit = (() => {
    const lab = window.wbLab;
    const { make } = lab;

    // --- One text -------------------------------------------------------------------------------------------------------
    /** A text field with the same functions as an editor of `editor.js`. */
    const plain = (host, { text, label, describedBy, changed }) => {
        const numbers = make("pre", { class: "wb-edit-numbers", "aria-hidden": "true" });
        const area = make("textarea", {
            "aria-label": label, "aria-describedby": describedBy, wrap: "off", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
        });
        host.append(make("div", { class: "wb-edit-plain" }, numbers, area));
        let marked = new Map();
        const draw = () => {
            const count = area.value.split("\n").length;
            numbers.textContent = Array.from({ length: count }, (_, at) => (marked.has(at + 1) ? "▲ " : "") + (at + 1)).join("\n");
        };
        const lineStart = (line) => area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
        const show = (line) => { area.scrollTop = Math.max(0, line - 3) * parseFloat(getComputedStyle(area).lineHeight); };
        area.value = text;
        draw();
        area.addEventListener("input", () => { draw(); changed(area.value); });
        area.addEventListener("scroll", () => { numbers.style.transform = `translateY(${-area.scrollTop}px)`; });
        area.addEventListener("keydown", (event) => {
            if (event.key !== "Tab" || event.shiftKey) return;
            event.preventDefault();
            area.setRangeText("    ", area.selectionStart, area.selectionEnd, "end");
            area.dispatchEvent(new Event("input"));
        });
        return {
            get text() { return area.value; },
            set text(own) { area.value = own; draw(); changed(own); },
            mark(messages) { marked = new Map(messages.map((own) => [own.line, own])); draw(); },
            goTo(line) { area.focus(); area.setSelectionRange(lineStart(line), lineStart(line)); show(line); },
            show, focus() { area.focus(); },
        };
    };

    let loaded = null;
    /** What makes editors: the one that the book was built with, if there is one. */
    const maker = () => {
        loaded ??= lab.load("editor.js").then(() => window.wbEditor?.create ?? plain, () => plain);
        return loaded;
    };

    /** An editor in `host`, which Escape and then Tab leaves. */
    const field = async (host, options) => {
        const create = await maker();
        let leave = false;
        // Before the editor sees it: after Escape, Tab is the browser's.
        host.addEventListener("keydown", (event) => {
            if (event.key === "Tab" && leave) event.stopImmediatePropagation();
            if (event.key === "Shift") return;
            leave = event.key === "Escape";
        }, true);
        host.addEventListener("keydown", (event) => {
            // Escape leaves other parts of a widget at once.
            if (event.key === "Escape") event.stopPropagation();
        });
        host.classList.add("wb-edit-field");
        return create(host, options);
    };

    // --- What a compiler or the simulator says, by line ---------------------------------------------------------------------
    const list = (messages, goTo) => {
        const items = messages.map((own) => {
            const jump = make("button", { type: "button" }, `line ${own.line}`);
            jump.addEventListener("click", () => goTo(own.line));
            return make("li", {}, jump, ` ${own.severity}: ${own.message}`);
        });
        return make("ul", { class: "wb-edit-messages" }, ...items);
    };

    // --- The texts of a kernel ----------------------------------------------------------------------------------------------
    /** PTX as a person edits it: indented, without the table of lines, so that what is found is at lines of this text. */
    const readable = (ptx) => {
        const lines = [];
        let section = false;
        let depth = 0;
        for (const line of ptx.split("\n").map((own) => own.trim())) {
            if (/^\.section\b/.test(line)) section = true;
            if (section) {
                if (line.endsWith("}")) section = false;
                continue;
            }
            if (line === "" || /^\.(loc|file)\b/.test(line)) continue;
            if (line.startsWith("}")) depth -= 1;
            const outside = depth <= 0 || /^[$\w]+:/.test(line);
            lines.push(outside ? line : "    ".repeat(depth) + line);
            depth += line.split("{").length - line.split("}").length + (line.startsWith("}") ? 1 : 0);
        }
        return `${lines.join("\n")}\n`;
    };

    const SERVE = "warpbook book serve --open";
    const GONE = "The program that served this page has ended, and it was to compile. Start it again: ";

    /** The editors of a panel. `file` is the source's name, `kernels` are those that its launches run. */
    const pane = async (id, { file, source, ptx, kernels, changed }) => {
        const originals = { cuda: source, ptx: readable(ptx) };
        const names = { cuda: "CUDA C++", ptx: "PTX" };
        const fields = {};
        const key = (tab) => `edit:${location.pathname}:${id}:${tab}`;
        const kept = (tab) => {
            const text = lab.store.get(key(tab));
            return typeof text === "string" ? text : null;
        };
        const hint = make("p", { class: "wb-lab-note", id: `${id}-edit-hint` },
            "Ctrl+Enter runs. Tab indents; Escape and then Tab leaves the text. What you type stays in this browser.");
        const messages = make("div", { class: "wb-edit-said" });
        const reset = make("button", { type: "button", class: "wb-edit-reset" }, "Reset");
        const tabs = make("div", { role: "tablist", "aria-label": "What is edited", class: "wb-edit-tabs" });
        const box = make("div", { class: "wb-edit" }, make("div", { class: "wb-edit-head" }, tabs, reset));
        const parts = {};
        const served = lab.service.there;
        if (!served) await lab.load("clang.js");
        const note = served ? null : window.wbClang.note();
        // Where nothing can compile, PTX is what can be edited.
        let now = served || !(await window.wbClang.look()).why ? "cuda" : "ptx";
        if (note) {
            await note.shown;
            box.append(note.box);
        }
        let compiled = null;

        const tell = (found) => {
            fields[now].mark(found);
            messages.replaceChildren(...(found.length ? [list(found, (line) => fields[now].goTo(line))] : []));
        };
        const show = () => {
            for (const [tab, { button, panel }] of Object.entries(parts)) {
                button.setAttribute("aria-selected", String(tab === now));
                button.tabIndex = tab === now ? 0 : -1;
                panel.hidden = tab !== now;
            }
            if (note) note.box.hidden = now !== "cuda";
            reset.setAttribute("aria-disabled", String(fields[now].text === originals[now]));
        };
        const choose = (tab) => {
            now = tab;
            messages.replaceChildren();
            show();
            changed();
        };
        for (const tab of ["cuda", "ptx"]) {
            const button = make("button", {
                type: "button", role: "tab", id: `${id}-tab-${tab}`, "aria-controls": `${id}-text-${tab}`,
            }, names[tab]);
            const panel = make("div", { role: "tabpanel", id: `${id}-text-${tab}`, "aria-labelledby": button.id });
            parts[tab] = { button, panel };
            tabs.append(button);
            box.append(panel);
            button.addEventListener("click", () => choose(tab));
            button.addEventListener("keydown", (event) => {
                if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
                event.preventDefault();
                choose(tab === "cuda" ? "ptx" : "cuda");
                parts[now].button.focus();
            });
            fields[tab] = await field(panel, {
                text: kept(tab) ?? originals[tab], language: tab, describedBy: hint.id,
                label: `${names[tab]} of ${kernels.join(", ")}`,
                changed: (text) => {
                    lab.store.set(key(tab), text === originals[tab] ? null : text);
                    if (parts.ptx && fields[now]) show();
                    changed();
                },
            });
        }
        box.append(hint, messages);
        reset.addEventListener("click", () => {
            if (fields[now].text === originals[now]) return;
            fields[now].text = originals[now];
            tell([]);
        });
        show();
        const start = originals.cuda.split("\n").findIndex((line) => line.includes("__global__"));
        if (start > 0) requestAnimationFrame(() => fields.cuda.show(start));

        /** The PTX of what is edited: `{ ptx }`, or `{ error, lines }`. */
        const made = async (signal) => {
            messages.replaceChildren();
            fields[now].mark([]);
            const text = fields[now].text;
            if (now === "ptx") return { ptx: text };
            if (!served && (await window.wbClang.look()).why) {
                parts.ptx.button.focus();
                return { error: { kind: "input", message: note.box.textContent } };
            }
            if (!served && !note.has) {
                note.focus();
                return { error: { kind: "input", message: "The compiler is not here yet: fetch it with the button above the text, or edit PTX." } };
            }
            if (compiled?.text !== text) {
                const request = { name: file, source: text, kernels };
                const answer = await (served ? lab.service.ask("compile", request, signal) : window.wbClang.compile(request, signal));
                if (answer.error?.kind === "gone") return { error: { kind: "input", message: GONE + SERVE } };
                if (answer.error) {
                    if (answer.error.lines) tell(answer.error.lines);
                    return answer;
                }
                compiled = { text, ...answer.ok };
            }
            if (compiled.lines.length) tell(compiled.lines);
            return { ptx: compiled.ptx };
        };
        return {
            box, made,
            /** Messages at lines: the compiler's warnings stay. */
            mark(found) { tell([...(now === "cuda" ? compiled?.lines ?? [] : []), ...found]); },
            /** A line of the text. */
            line: (at) => (fields[now].text.split("\n")[at - 1] ?? "").trim(),
            focus() { fields[now].focus(); },
            get tab() { return now; },
            get name() { return names[now]; },
            get changed() { return fields[now].text !== originals[now]; },
        };
    };

    return { field, pane, list };
})();
