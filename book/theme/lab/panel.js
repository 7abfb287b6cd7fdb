// Kernel panels: a listing whose kernel readers run in the page. The engine counts and judges; here are only the choices and the
// run. What came of it is shown by `panel-result.js`.
"use strict";

(() => {
    const { make } = window.wbLab;
    const number = (value) => value.toLocaleString("en-US");
    const millions = (count) => (count < 1e6 ? number(Math.round(count / 1000)) + " k" : (count / 1e6).toFixed(1) + " M");
    /** How many orders of threads can be run, and the words for it. */
    const ORDERS = [["1", "one order"], ["8", "8 orders"], ["32", "32 orders"]];

    const mount = (section, state, lab) => {
        const id = section.id;
        const file = state.file.replace(/\.ptx$/, ".cu");
        const kernels = [...new Set(state.setups.map((setup) => setup.kernel))];
        const cases = [...new Set(state.setups.map((setup) => setup.case))];
        const withData = state.kinds.length > 0;
        const first = state.setups[0];
        const defaults = {
            kernel: first.kernel, case: first.case, data: first.input?.kind ?? "", seed: "0", heat: state.heat,
            orders: "1", order: "0",
            ...Object.fromEntries(state.numbers.map((knob) => [`n-${knob.name}`, String(knob.value)])),
        };
        let now = { ...defaults };
        let last = null;
        let running = false;

        // --- Controls --------------------------------------------------------------------------------------------------
        const bar = make("div", { class: "wb-panel-bar" });
        const fields = new Map();
        const wrong = make("p", { class: "wb-panel-wrong", role: "alert", hidden: "" });
        const field = (key, label, control) => {
            const own = `${id}-${key}`;
            control.id = own;
            fields.set(key, control);
            bar.append(make("span", { class: "wb-panel-field" }, make("label", { for: own }, label), control));
            return control;
        };
        const choice = (key, label, options) => {
            const select = field(key, label, make("select"));
            for (const option of options) select.append(make("option", { value: option }, option));
            select.addEventListener("change", () => changed(key, select.value));
        };
        if (kernels.length > 1) choice("kernel", "kernel", kernels);
        if (!withData && cases.length > 1) choice("case", "case", cases);
        if (withData) choice("data", "data", state.kinds);
        const numeric = (key, label, from, to, step, slider) => {
            const input = field(key, label, make("input", { type: "number", min: from, max: to, step, inputmode: "numeric" }));
            input.addEventListener("input", () => changed(key, input.value));
            input.addEventListener("keydown", (event) => {
                if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
                event.preventDefault();
                run();
            });
            if (!slider) return;
            const range = make("input", { type: "range", min: from, max: to, step, "aria-label": label });
            range.addEventListener("input", () => changed(key, range.value));
            input.before(range);
            fields.set(`${key}-slider`, range);
        };
        for (const knob of state.numbers) {
            numeric(`n-${knob.name}`, knob.name.replaceAll("_", " "), knob.from, knob.to, knob.step, true);
        }
        if (withData) numeric("seed", "seed", 0, 9999, 1, false);
        // A GPU leaves open in which order blocks, warps and lanes that have parted run; a seed names one order.
        const orders = field("orders", "run in", make("select"));
        for (const [value, text] of ORDERS) orders.append(make("option", { value }, text));
        orders.addEventListener("change", () => changed("orders", orders.value));
        const runButton = make("button", { type: "button", class: "wb-panel-run" }, "Run");
        const stopButton = make("button", { type: "button", class: "wb-panel-stop", hidden: "" }, "Stop");
        runButton.addEventListener("click", () => run());
        stopButton.addEventListener("click", () => stop());
        const editButton = make("button", { type: "button", class: "wb-panel-edit", "aria-expanded": "false" }, "Edit");
        editButton.addEventListener("click", () => edit());
        bar.append(make("span", { class: "wb-panel-field" }, runButton, stopButton, editButton));
        const progress = make("p", { class: "wb-panel-progress", hidden: "" });
        const told = make("div", { class: "wb-panel-told" });
        section.querySelector(".wb-lab-title").after(bar, wrong, progress);

        // --- The listing ----------------------------------------------------------------------------------------------------
        const listings = [...section.querySelectorAll(".wb-listing")].map((listing) => {
            const gutter = listing.querySelector(".wb-gutter");
            const heat = make("pre", { class: "wb-gutter wb-heat", "aria-hidden": "true" });
            heat.hidden = true;
            gutter.after(heat);
            const code = listing.querySelector("code");
            return { heat, lines: gutter.textContent.split("\n").map(Number), texts: (code?.textContent ?? "").split("\n") };
        });
        const still = section.querySelector(":scope > .wb-table");
        (still ?? section.querySelector("script")).before(told);
        const heatOf = make("select", { id: `${id}-heat` });
        for (const counter of state.counters) heatOf.append(make("option", { value: counter.name }, counter.name));
        heatOf.addEventListener("change", () => { now.heat = heatOf.value; remember(); if (last) result.draw(); });

        const result = window.wbPanelResult.shown({
            state, file, listings, told, still, heatOf, heat: () => now.heat, pane: () => pane,
            rerun: (values) => {
                for (const [key, value] of Object.entries(values)) changed(key, value);
                run();
            },
        });

        // --- The reader's own code -----------------------------------------------------------------------------------------
        /** The editors, once they were opened; what is run is theirs while `editing`. */
        let pane = null;
        let editing = false;
        const edit = async () => {
            if (running) return;
            editing = !editing;
            editButton.setAttribute("aria-expanded", String(editing));
            editButton.textContent = editing ? "Close the editor" : "Edit";
            if (editing && !pane) {
                try {
                    await lab.load("edit.js");
                    const launched = [...new Set(state.setups.flatMap((setup) => setup.launches.map((launch) => launch.kernel)))];
                    pane = await window.wbEdit.pane(id, {
                        file, source: state.source, ptx: state.ptx, kernels: launched,
                        changed: () => { if (last?.what.edited) section.dataset.stale = "yes"; },
                    });
                    wrong.before(pane.box);
                } catch (error) {
                    editing = false;
                    wrong.textContent = `No editor can be opened: ${error.message}.`;
                    wrong.hidden = false;
                    return;
                }
            }
            section.dataset.editing = editing ? "yes" : "no";
            pane.box.hidden = !editing;
            if (last && Boolean(last.what.edited) !== editing) section.dataset.stale = "yes";
            if (editing) pane.focus();
        };

        // --- What is chosen -----------------------------------------------------------------------------------------------
        const remember = () => {
            const other = Object.entries(now).filter(([key, value]) => value !== defaults[key]);
            lab.url.set(id, Object.fromEntries(other));
        };
        const show = () => {
            for (const [key, control] of fields) {
                const value = now[key.replace(/-slider$/, "")];
                if (control.value !== value) control.value = value;
            }
            heatOf.value = now.heat;
        };
        const changed = (key, value) => {
            now[key] = value;
            show();
            remember();
            wrong.hidden = true;
            fields.get(key)?.removeAttribute("aria-invalid");
            // What is shown belongs to what was run.
            if (last) section.dataset.stale = "yes";
        };
        const restore = (values) => {
            now = { ...defaults };
            for (const [key, value] of Object.entries(values)) {
                const options = { kernel: kernels, case: cases, data: state.kinds, heat: state.counters.map((own) => own.name), orders: ORDERS.map(([count]) => count) };
                const known = key in options ? options[key].includes(value) : key in defaults && /^\d+$/.test(value);
                if (known) now[key] = value;
            }
            show();
        };

        /** The setup that is chosen, and whether it is one that stands in the book as it is. */
        const chosen = () => {
            const own = state.setups.filter((setup) => setup.kernel === now.kernel);
            const same = withData
                ? own.find((setup) => setup.input?.kind === now.data)
                : own.find((setup) => setup.case === now.case);
            const plain = state.numbers.every((knob) => now[`n-${knob.name}`] === String(knob.value)) && Number(now.seed) === 0
                && Number(now.order) === 0;
            return { setup: same ?? own[0], recorded: Boolean(same) && plain };
        };
        const request = () => {
            const { setup } = chosen();
            const buffers = setup.buffers.map((buffer) => (withData && buffer.name === setup.input?.buffer
                ? { ...buffer, content: { workbook: { problem: setup.input.problem, kind: now.data, seed: Number(now.seed) } } }
                : buffer));
            const numbers = Object.fromEntries(state.numbers.map((knob) => [knob.name, Number(now[`n-${knob.name}`])]));
            return {
                op: "run", module: { name: state.file, ptx: state.ptx }, let: numbers, buffers, launches: setup.launches,
                predict: true, registers: state.registers, seed: Number(now.order), schedules: Number(now.orders),
            };
        };
        const name = () => {
            const parts = [];
            if (kernels.length > 1) parts.push(now.kernel);
            if (!withData && cases.length > 1) parts.push(now.case);
            if (withData) parts.push(now.data + (Number(now.seed) ? `, seed ${now.seed}` : ""));
            for (const knob of state.numbers) parts.push(`${knob.name.replaceAll("_", " ")} ${now[`n-${knob.name}`]}`);
            const own = parts.join(", ") || chosen().setup.case || now.kernel;
            return Number(now.order) ? `${own}, order ${now.order}` : own;
        };
        /** The first number that is none, or leaves its range. */
        const fault = () => {
            for (const knob of state.numbers) {
                const value = Number(now[`n-${knob.name}`]);
                if (Number.isInteger(value) && value >= knob.from && value <= knob.to) continue;
                return [`n-${knob.name}`, `${knob.name}: a whole number from ${number(knob.from)} to ${number(knob.to)}`];
            }
            if (withData && !/^\d{1,9}$/.test(now.seed)) return ["seed", "seed: a whole number from 0 on"];
            return null;
        };

        // --- Running --------------------------------------------------------------------------------------------------------
        const phase = (to) => {
            section.dataset.run = to;
            running = to === "running";
            stopButton.hidden = !running;
            runButton.hidden = running;
            progress.hidden = !running;
        };
        const engine = async () => {
            await lab.load("engine.js");
            return window.wbEngine;
        };
        let asked = 0;
        async function run() {
            if (running) return;
            const bad = fault();
            if (bad) {
                wrong.textContent = bad[1];
                wrong.hidden = false;
                fields.get(bad[0]).setAttribute("aria-invalid", "true");
                fields.get(bad[0]).focus();
                return;
            }
            wrong.hidden = true;
            const focused = section.contains(document.activeElement) && document.activeElement === runButton;
            const own = ++asked;
            const what = { request: request(), name: name(), ...chosen() };
            const mine = editing ? pane : null;
            phase("running");
            // The button that had the focus is gone: the one in its place gets it.
            if (focused) stopButton.focus();
            progress.textContent = "loading the simulator …";
            let executed = 0;
            let answer;
            try {
                const worker = await engine();
                const ask = (request) => worker.ask(request, {
                    told: (event) => {
                        executed = event.progress.instructions;
                        progress.textContent = `running, ${millions(executed)} warp-instructions`;
                    },
                });
                if (mine) answer = await asEdited(what, mine, ask);
                answer ??= await ask(what.request);
            } catch (error) {
                answer = { error: { kind: "internal", message: error.message } };
            }
            if (own !== asked) return;
            const stopFocused = document.activeElement === stopButton;
            if (answer.ok) done(what, answer);
            else if (answer.error.kind === "stopped") stopped(executed);
            else failed(what, answer.error);
            if (stopFocused) runButton.focus();
        }
        let compiling = null;
        /** The book's kernels with the launches of this request. */
        let unedited = null;
        /** Makes the request one of the reader's own code, and runs the book's own before; an answer where that fails. */
        async function asEdited(what, mine, ask) {
            if (mine.tab === "cuda") progress.textContent = "compiling …";
            compiling = new AbortController();
            const made = await mine.made(compiling.signal);
            compiling = null;
            if (made.error) return made;
            const key = JSON.stringify(what.request);
            if (unedited?.key !== key) {
                const answer = await ask(what.request);
                if (answer.error) return answer;
                unedited = { key, reports: answer.ok.reports };
            }
            Object.assign(what, {
                edited: mine.changed ? `your ${mine.name}` : `the ${mine.name} of the book`, recorded: false, book: unedited.reports,
                // What ptxas makes of other code is not known: registers are estimated.
                request: { ...what.request, module: { name: mine.tab === "cuda" ? state.file : `${id}.ptx`, ptx: made.ptx }, registers: {} },
            });
            return null;
        }
        function stop() {
            if (!running) return;
            compiling?.abort();
            window.wbEngine?.stop();
        }
        const stopped = (executed) => {
            phase("stopped");
            const text = executed
                ? `Stopped at ${millions(executed)} warp-instructions. Counters so far are not shown.`
                : "Stopped.";
            note(text);
            lab.status(section, text);
        };
        const note = (text) => {
            const own = told.querySelector(".wb-panel-note") ?? make("p", { class: "wb-panel-note" });
            own.textContent = text;
            told.prepend(own);
        };
        const failed = (what, error) => {
            phase("error");
            const ours = error.kind === "internal";
            const box = make("div", { class: "wb-panel-fault" });
            if (ours) {
                const text = window.wbEngine?.complaint(error, what.request) ?? error.message;
                const area = make("textarea", { readonly: "", rows: "6", "aria-label": "What to report" });
                area.value = text;
                const copy = make("button", { type: "button" }, "Copy");
                copy.addEventListener("click", () => {
                    area.select();
                    navigator.clipboard?.writeText(text).catch(() => {});
                });
                box.append(make("p", {}, "The simulator in the page failed: our fault, not yours. Run again to start it anew."), area, copy);
            } else {
                const kinds = { unsupported: "This is not supported: ", budget: "Too much for a page: ", rejected: "This does not compile." };
                if (error.kind === "rejected") box.append(make("p", {}, kinds.rejected), make("pre", { tabindex: "0" }, error.message));
                else box.append(make("p", {}, (kinds[error.kind] ?? "") + error.message));
            }
            // What is shown is of now.
            delete section.dataset.stale;
            told.replaceChildren(box);
            lab.status(section, box.firstChild.textContent);
        };

        // --- What came of it ------------------------------------------------------------------------------------------------
        const done = (what, answer) => {
            phase("done");
            delete section.dataset.stale;
            const { reports } = answer.ok;
            const values = new Map(state.counters.map((counter) =>
                [counter.name, reports.reduce((sum, report) => sum + window.wbPanelResult.count(counter, report), 0)]));
            const before = last && !last.what.edited && !what.edited ? { name: last.what.name, values: last.values } : null;
            last = { what, reports, values, ms: answer.ms, executed: answer.ok.executed };
            result.show(last, before);
            lab.status(section, result.spoken());
        };
        const reset = () => {
            if (running) stop();
            asked += 1;
            phase("idle");
            now = { ...defaults };
            last = null;
            delete section.dataset.stale;
            told.replaceChildren();
            listings.forEach(({ heat }) => { heat.hidden = true; });
            if (still) still.hidden = false;
            wrong.hidden = true;
            show();
            remember();
        };

        section.addEventListener("keydown", (event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            if (event.key === "Enter") run();
            else if (event.key === ".") stop();
            else return;
            event.preventDefault();
        });
        // Who touches a panel probably runs it: the module is there by then.
        const warm = () => {
            const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
            idle(() => engine().then((worker) => worker.warm()).catch(() => {}));
        };
        section.addEventListener("focusin", warm, { once: true });
        section.addEventListener("pointerdown", warm, { once: true });
        window.addEventListener("beforeprint", () => { bar.hidden = true; });
        window.addEventListener("afterprint", () => { bar.hidden = false; });
        restore(lab.url.get(id));
        lab.url.watch?.(id, restore);
        phase("idle");
        return {
            keys: [["r", "back to the beginning", reset]],
            help: [["Escape, then Tab", "leave an editor's text"], ["Enter", "run, in a number's field"], ["Ctrl+Enter", "run"], ["Ctrl+.", "stop"]],
        };
    };

    window.wbLab.register("panel", async (section, state, lab) => {
        await lab.load("panel-result.js");
        return mount(section, state, lab);
    });
})();
