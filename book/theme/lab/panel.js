// Kernel panels: a listing whose kernel readers run in the page. The engine counts and judges; here its numbers are only
// added up by name, set beside the listing's lines, and compared with the run before and with the record of a GPU.
"use strict";

(() => {
    const { make } = window.wbLab;
    const number = (value) => value.toLocaleString("en-US");
    const plural = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;
    const millions = (count) => (count < 1e6 ? number(Math.round(count / 1000)) + " k" : (count / 1e6).toFixed(1) + " M");
    const time = (us) => (us < 1000 ? `${us.toPrecision(2)} µs` : `${(us / 1000).toPrecision(2)} ms`);
    const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
    /** A message's text, with what stands in backticks as code. */
    const prose = (text) => sentence(text).split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
    /** How many orders of threads can be run, and the words for it. */
    const ORDERS = [["1", "one order"], ["8", "8 orders"], ["32", "32 orders"]];
    /** The letters of a finding's two parties. */
    const letters = (at) => [2 * at, 2 * at + 1].map((own) => String.fromCharCode(65 + (own % 26)));
    const base = (path) => path.split(/[/\\]/).pop();

    /** What a counter of the panel is in the maps of a report or of one of its lines. */
    const count = (counter, { metrics, estimates }) => {
        const from = counter.own ? estimates : metrics;
        return counter.of.reduce((sum, name) => sum + (from[name] ?? 0), 0);
    };

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
        let before = null;
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
        heatOf.addEventListener("change", () => { now.heat = heatOf.value; remember(); if (last) draw(); });

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
                [counter.name, reports.reduce((sum, report) => sum + count(counter, report), 0)]));
            before = last && !last.what.edited && !what.edited ? { name: last.what.name, values: last.values } : null;
            last = { what, reports, values, ms: answer.ms, executed: answer.ok.executed };
            draw();
            lab.status(section, spoken());
        };
        /** Counts per line of the listing's file. */
        const lines = () => {
            const counter = state.counters.find((own) => own.name === now.heat);
            const sums = new Map();
            for (const report of last.reports) {
                for (const line of report.lines) {
                    if (!last.what.edited && base(line.file) !== file) continue;
                    const value = count(counter, line);
                    if (value) sums.set(line.line, (sums.get(line.line) ?? 0) + value);
                }
            }
            return sums;
        };
        const findings = () => last.reports.flatMap((report) => report.findings);
        /** Which letters stand at which line. */
        const marks = () => {
            const at = new Map();
            const put = (line, mark) => at.set(line, (at.get(line) ?? "") + mark);
            findings().forEach((finding, index) => {
                if (finding.parties?.length === 2) finding.parties.forEach((party, side) => put(party.line, letters(index)[side]));
                else put(finding.line, "▲");
            });
            return at;
        };
        const spoken = () => {
            const found = findings();
            const parts = [`Done in ${Math.round(last.ms)} ms.`];
            if (last.what.edited) parts.push(sameResult());
            for (const counter of state.counters.slice(0, 2)) {
                const value = last.values.get(counter.name);
                const recorded = last.what.recorded ? last.what.setup.measured?.values[counter.name] : undefined;
                parts.push(`${number(value)} ${counter.name}${recorded === value ? `, as the ${last.what.setup.measured.gpu} counted` : ""}.`);
            }
            parts.push(found.length ? `${plural(found.length, "finding")}: ${found[0].message}.` : "No findings.");
            if (last.reports.some((report) => report.order?.differing?.length)) parts.push("The result depends on the order of threads.");
            return parts.join(" ");
        };
        const predicted = () => {
            const own = last.reports.map((report) => report.prediction).filter(Boolean);
            if (own.length === 0) return null;
            const clock = ({ us, low_us: low, high_us: high, bound }) =>
                `≈ ${time(us)} predicted (${time(low)} to ${time(high)}), limited by: ${bound}`;
            if (own.length === 1) return make("p", { class: "wb-panel-time" }, clock(own[0]));
            const list = make("ul", { class: "wb-panel-time" });
            last.reports.forEach((report) => {
                if (report.prediction) list.append(make("li", {}, make("code", {}, report.kernel), ` ${clock(report.prediction)}`));
            });
            return list;
        };
        /** Runs one order by its number, alone. */
        const replay = (seed) => {
            const again = make("button", { type: "button" }, `Run order ${seed} alone`);
            again.addEventListener("click", () => {
                changed("order", String(seed));
                changed("orders", "1");
                run();
            });
            return again;
        };
        /** What several orders left, and what depends on the order. */
        const inOrders = () => {
            const all = last.reports.map((report) => report.order).filter(Boolean);
            const seeds = all.find((order) => order.seeds?.length)?.seeds ?? [];
            const differing = all.flatMap((order) => order.differing ?? []);
            const places = all.flatMap((order) => order.places ?? []);
            const parts = [];
            if (seeds.length > 1 && differing.length === 0) {
                const wrong = findings().some((finding) => finding.severity !== "remark");
                parts.push(make("p", {}, wrong
                    ? `${seeds.length} orders of threads were run. What a faulty kernel leaves says nothing about order.`
                    : `${seeds.length} orders of threads were run, and all left the same in every buffer.`));
            }
            for (const { argument, seed, byte } of differing) {
                const text = `The result depends on the order: from byte ${number(byte)} on, argument ${argument} is not the same in `
                    + `order ${seeds[0]} and in order ${seed}. `;
                parts.push(make("p", {}, text, replay(seed)));
            }
            if (places.length > 0) {
                const list = make("ul");
                for (const { line, what } of places) list.append(make("li", {}, `line ${line}: `, ...prose(what)));
                const what = differing.length > 0 ? "What depends on the order:" : "What could depend on the order of threads:";
                parts.push(make("p", {}, what), list);
            }
            if (Number(last.what.request.seed)) {
                const back = make("button", { type: "button" }, "Back to order 0");
                back.addEventListener("click", () => { changed("order", "0"); run(); });
                parts.push(make("p", {}, `This is order ${last.what.request.seed}. `, back));
            }
            return parts.length > 0 ? make("div", { class: "wb-panel-orders" }, ...parts) : null;
        };
        /** Whether the reader's code leaves what the book's leaves. */
        const sameResult = () => {
            const outputs = (reports) => new Map((reports.at(-1)?.output ?? []).map((own) => [own.argument, own.blake3]));
            const [own, book] = [outputs(last.reports), outputs(last.what.book)];
            const other = [...book].filter(([argument, digest]) => own.get(argument) !== digest).map(([argument]) => argument);
            if (other.length === 0) return "It leaves in every buffer what the kernel of the book leaves.";
            return `It leaves something else than the kernel of the book in the buffer${other.length === 1 ? "" : "s"} of argument `
                + `${other.join(", ")} (counted from 0).`;
        };
        const table = () => {
            const { setup, recorded, edited, book } = last.what;
            const measured = recorded ? setup.measured : undefined;
            const heads = ["counter", "this run"];
            if (edited) heads.push("of the book");
            if (before) heads.push("before");
            if (measured) heads.push(measured.gpu);
            const body = make("tbody");
            for (const counter of state.counters) {
                const value = last.values.get(counter.name);
                const row = make("tr", {}, make("th", { scope: "row" }, counter.name), make("td", { class: "wb-n" }, number(value)));
                if (before || edited) {
                    const old = edited ? book.reduce((sum, report) => sum + count(counter, report), 0) : before.values.get(counter.name);
                    const mark = old === value ? "" : old < value ? " ↑" : " ↓";
                    row.append(make("td", { class: "wb-n" }, number(old) + mark));
                }
                if (measured) {
                    const other = measured.values[counter.name];
                    const mark = other === value ? "≡ " : measured.known.includes(counter.name) ? "≠ (known) " : "≠ ";
                    row.append(make("td", { class: "wb-n" }, other === undefined ? "–" : mark + number(other)));
                }
                body.append(row);
            }
            const head = make("tr");
            heads.forEach((text, at) => head.append(make("th", at ? { scope: "col", class: "wb-n" } : { scope: "col" }, text)));
            let caption = `${last.what.name}${edited ? `, ${edited}` : ""}: simulated in this page`;
            if (before) caption += `; before: ${before.name}`;
            if (edited) caption += "; of the book: the kernel as it was";
            if (edited) caption += ".";
            else caption += measured ? `; ≡ counted equal by an ${measured.gpu} on ${measured.date}.` : ". No GPU has recorded this launch.";
            return make("div", { class: "wb-table", tabindex: "0" },
                make("table", {}, make("caption", {}, caption), make("thead", {}, head), body));
        };
        /** The text of a line as far as the panel shows it. */
        const lineText = (line) => {
            if (last.what.edited) return line ? pane.line(line) : "";
            for (const { lines: shown, texts } of listings) {
                const at = shown.indexOf(line);
                if (line && at >= 0) return texts[at].trim();
            }
            return "";
        };
        const byLine = (sums, at) => {
            const body = make("tbody");
            for (const line of [...new Set([...sums.keys(), ...at.keys()])].sort((a, b) => a - b)) {
                const text = make("code", {}, lineText(line));
                body.append(make("tr", {}, make("th", { scope: "row" }, String(line)), make("td", {}, text),
                    make("td", { class: "wb-n" }, number(sums.get(line) ?? 0)), make("td", {}, at.get(line) ?? "")));
            }
            const head = make("tr", {}, make("th", { scope: "col" }, "line"), make("th", { scope: "col" }, "source"),
                make("th", { scope: "col", class: "wb-n" }, now.heat), make("th", { scope: "col" }, "findings"));
            return make("details", { class: "wb-numbers" }, make("summary", {}, "Line by line, as a table"),
                make("div", { class: "wb-table", tabindex: "0" }, make("table", {}, make("thead", {}, head), body)));
        };
        const draw = () => {
            const sums = lines();
            const at = marks();
            const most = Math.max(1, ...sums.values());
            const width = Math.max(3, ...[...sums.values()].map((value) => number(value).length));
            for (const { heat, lines: shown } of listings) {
                // What is counted at lines of other code says nothing of these.
                heat.hidden = Boolean(last.what.edited);
                heat.replaceChildren();
                shown.forEach((line, index) => {
                    const value = line ? sums.get(line) ?? 0 : 0;
                    const mark = (line && at.get(line)) || "";
                    const text = (value ? number(value) : "").padStart(width + 1) + " " + mark.slice(0, 2).padEnd(2);
                    const span = make("span", { class: mark ? "wb-heat-found" : "" }, text);
                    span.style.setProperty("--share", String(value / most));
                    heat.append(span, index + 1 < shown.length ? "\n" : "");
                });
            }
            const parts = [];
            const found = findings();
            if (last.what.edited) {
                pane.mark(found.flatMap((finding) => (finding.parties?.length === 2 ? finding.parties.map((party) => party.line) : [finding.line])
                    .filter(Boolean).map((line) => ({ line, severity: finding.severity === "remark" ? "remark" : "finding", message: `[${finding.kind}] ${finding.message}` }))));
                parts.push(make("p", { class: "wb-panel-same" }, sameResult()));
            }
            const list = make("ol", { class: "wb-panel-findings" });
            for (const [index, finding] of found.entries()) {
                const [one, other] = letters(index);
                const own = finding.parties?.length === 2
                    ? `line ${finding.parties[0].line} (${one}) and line ${finding.parties[1].line} (${other})`
                    : `line ${finding.line} (▲)`;
                const kind = finding.severity === "remark" ? "remark" : "finding";
                list.append(make("li", {}, make("b", {}, `${kind} [${finding.kind}], ${own}: `), ...prose(finding.message), " ",
                    ...prose(finding.help), ...(finding.seed && last.what.request.seed !== finding.seed ? [" ", replay(finding.seed)] : [])));
            }
            parts.push(found.length ? list : make("p", { class: "wb-panel-clean" }, "Findings: none."));
            const depends = inOrders();
            if (depends) parts.push(depends);
            parts.push(make("p", { class: "wb-panel-heat" }, make("label", { for: heatOf.id }, "beside the lines "), heatOf));
            parts.push(table());
            const clock = predicted();
            if (clock) parts.push(clock);
            parts.push(byLine(sums, at));
            const printed = last.reports.map((report) => report.printed?.text ?? "").join("");
            if (printed) parts.push(make("p", {}, "It printed:"), make("pre", {}, printed));
            const from = window.wbModules?.sim;
            parts.push(make("p", { class: "wb-lab-note" },
                `${number(last.executed)} warp-instructions in ${Math.round(last.ms)} ms, checked for races and unwritten memory. `
                + `Simulator: ${from ? `${from.from}, ${(from.bytes / 1e6).toFixed(2)} MB` : "here"}, protocol ${window.wbEngine.version}.`));
            told.replaceChildren(...parts);
            if (still) still.hidden = true;
            // Beside a column more, code may be wider than its box: what then scrolls takes the focus.
            window.dispatchEvent(new Event("resize"));
        };
        const reset = () => {
            if (running) stop();
            asked += 1;
            phase("idle");
            now = { ...defaults };
            before = null;
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

    window.wbLab.register("panel", mount);
})();
