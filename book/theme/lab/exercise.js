// Exercises in the page: answers and kernels are kept and judged by the code of `warpbook exercise check`, and what is said of them
// is shown. The program that serves the book judges, where there is one; a page without it has the grader in a worker
// (`grader.js`), which judges answers at once, and kernels that the page's own compiler (`clang.js`) has compiled.
"use strict";

(() => {
    const SERVE = "warpbook book serve --open";
    const { make } = window.wbLab;

    const mount = async (section, state, lab) => {
        const key = `exercise:${state.name}`;
        const kept = () => lab.store.get(key) ?? {};
        const keep = (more) => {
            lab.store.set(key, { ...kept(), ...more });
            const names = lab.store.get("exercises") ?? [];
            if (!names.includes(state.name)) lab.store.set("exercises", [...names, state.name]);
            window.dispatchEvent(new Event("wb-progress"));
        };
        const done = make("p", { class: "wb-exercise-done" });
        const said = make("div", { class: "wb-exercise-said" });
        const check = make("button", { type: "button", class: "wb-exercise-check" }, "Check");
        const tools = make("div", { class: "wb-exercise-tools" }, check);
        const asks = state.questions.length > 0;
        /** What offers the page's own compiler, once a kernel is edited without a server. */
        let note = null;
        let file = "";
        let busy = false;
        let text = () => "";
        let mark = () => {};

        const show = () => {
            done.textContent = /^done /m.test(kept().progress ?? "") ? "Done." : "";
            done.hidden = done.textContent === "";
        };
        const grader = async () => {
            await lab.load("engine.js");
            await lab.load("grader.js");
            return window.wbGrader;
        };
        /** A kernel as the grader takes it, `{ ok }`: compiled for what is counted, and without optimisation for what is checked. */
        const compiled = async (own, signal) => {
            const request = { name: file, source: own, kernels: [] };
            const made = await window.wbClang.compile(request, signal);
            if (made.error?.kind === "rejected") return { ok: { rejected: made.error.message } };
            if (made.error) return made;
            const checked = await window.wbClang.compile({ ...request, debug: true }, signal);
            // What cannot be translated without optimisation is checked as it is counted.
            if (checked.error && checked.error.kind !== "unsupported") return checked;
            return { ok: { ptx: made.ok.ptx, debug_ptx: checked.ok?.ptx, warnings: made.ok.warnings } };
        };
        /** What is said of a text: by the program that serves the page, else by the page's own compiler and grader. */
        const judged = async (own, signal) => {
            const progress = kept().progress ?? "";
            let answer;
            if (lab.service.there) {
                answer = await lab.service.ask("check", { exercise: state.name, text: own, progress });
            } else {
                const judge = await grader();
                const made = asks ? { ok: null } : await compiled(own, signal);
                answer = made.error ? made : await judge.judge(state.name, own, made.ok, progress);
            }
            if (answer.ok) keep({ progress: answer.ok.progress });
            return answer;
        };
        const run = async () => {
            if (busy) return;
            const own = text();
            // The answers of the first complete try are those that count, whoever judges them and when.
            if (asks && kept().first === undefined && /^(\w[\w-]*: *\S.*\n)+$/.test(own)) keep({ first: own });
            if (note && !note.has) {
                const { why } = await window.wbClang.look();
                const what = why ? note.box.textContent : "The compiler is not here yet: fetch it with the button above.";
                if (!why) note.focus();
                said.replaceChildren(make("p", { class: "wb-edit-note" }, what));
                lab.status(section, what);
                return;
            }
            busy = true;
            check.setAttribute("aria-disabled", "true");
            const stop = make("button", { type: "button" }, "Stop");
            const abort = new AbortController();
            stop.addEventListener("click", () => { abort.abort(); window.wbGrader?.stop(); });
            said.replaceChildren(make("p", {}, "judging … ", ...(lab.service.there ? [] : [stop])));
            const first = kept().first;
            if (state.kind === "predict" && first !== undefined && first !== own && !kept().progress) await judged(first, abort.signal);
            const answer = await judged(own, abort.signal);
            busy = false;
            check.removeAttribute("aria-disabled");
            if (answer.error) {
                const gone = answer.error.kind === "gone" ? ` Start it again: ${SERVE}` : "";
                said.replaceChildren(make("p", { class: "wb-panel-fault" }, answer.error.message + gone));
                lab.status(section, answer.error.message);
                return;
            }
            const { passed, text: message, lines } = answer.ok;
            // Near predictions count, too: what is told is how near.
            const right = state.kind === "predict" ? "Judged: your first answers count." : "Passed.";
            const verdict = passed ? right : "Not yet.";
            said.replaceChildren(make("p", { class: passed ? "wb-exercise-passed" : "wb-exercise-open" }, verdict),
                make("pre", { tabindex: "0", "aria-label": "What was found" }, message));
            mark(lines);
            show();
            lab.status(section, `${verdict} What was found is shown.`);
        };
        check.addEventListener("click", run);

        if (asks) {
            const answers = kept().answers ?? {};
            const inputs = [...section.querySelectorAll(".wb-exercise-questions > li")].map((item, at) => {
                const question = state.questions[at];
                const ask = item.querySelector("span");
                ask.id = `${section.id}-${question}`;
                const input = make("input", { type: "text", "aria-labelledby": ask.id, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
                input.value = answers[question] ?? "";
                input.addEventListener("input", () => keep({ answers: { ...kept().answers, [question]: input.value } }));
                input.addEventListener("keydown", (event) => { if (event.key === "Enter") run(); });
                item.append(make("div", {}, input));
                return [question, input];
            });
            text = () => inputs.map(([question, input]) => `${question}: ${input.value.trim()}\n`).join("");
            section.querySelector("ol").after(done, tools, said);
            tools.append(make("span", { class: "wb-lab-note" }, "A number, lanes such as 0-3, 7, a word, or skip."));
        } else {
            const open = make("button", { type: "button" }, "Solve it here");
            check.hidden = true;
            tools.prepend(open);
            section.querySelector(".wb-lab-title").after(done, tools, said);
            open.addEventListener("click", async () => {
                const begin = async () => {
                    if (lab.service.there) return lab.service.ask("starter", { exercise: state.name });
                    await lab.load("clang.js");
                    return (await grader()).starter(state.name);
                };
                const [starter] = await Promise.all([begin(), lab.load("edit.js")]);
                if (starter.error) {
                    said.replaceChildren(make("p", { class: "wb-panel-fault" }, starter.error.message));
                    return;
                }
                const original = starter.ok.text;
                file = starter.ok.file;
                const hint = make("p", { class: "wb-lab-note", id: `${section.id}-hint` },
                    "Tab indents; Escape and then Tab leaves the text. What you type stays in this browser.");
                const host = make("div");
                const reset = make("button", { type: "button" }, "Reset");
                const messages = make("div");
                tools.before(host, hint);
                if (!lab.service.there) {
                    note = window.wbClang.note(undefined, "");
                    await note.shown;
                    host.before(note.box);
                }
                const field = await window.wbEdit.field(host, {
                    text: kept().text ?? original, language: "cuda", describedBy: hint.id, label: `The kernel of ${state.name}`,
                    changed: (own) => keep({ text: own }),
                });
                text = () => field.text;
                mark = (lines) => {
                    field.mark(lines);
                    messages.replaceChildren(...(lines.length ? [window.wbEdit.list(lines, (line) => field.goTo(line))] : []));
                    said.append(messages);
                };
                reset.addEventListener("click", () => { field.text = original; field.mark([]); said.replaceChildren(); });
                open.remove();
                check.hidden = false;
                tools.append(reset);
                field.focus();
            });
        }
        section.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || check.hidden) return;
            event.preventDefault();
            run();
        });
        show();
        return { help: [["Ctrl+Enter", "check"], ["Escape, then Tab", "leave an editor's text"]] };
    };

    window.wbLab.register("exercise", mount);
})();
