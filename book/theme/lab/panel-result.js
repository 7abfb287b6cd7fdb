// What a run of a kernel panel showed: counters beside the listing's lines and in tables, findings, what depends on the order of
// threads, predicted times. All numbers are the engine's; here they are only added up by name and compared.
"use strict";

window.wbPanelResult = (() => {
    const { make } = window.wbLab;
    const number = (value) => value.toLocaleString("en-US");
    const plural = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;
    const time = (us) => (us < 1000 ? `${us.toPrecision(2)} µs` : `${(us / 1000).toPrecision(2)} ms`);
    const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
    /** A message's text, with what stands in backticks as code. */
    const prose = (text) => sentence(text).split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
    /** The letters of a finding's two parties. */
    const letters = (at) => [2 * at, 2 * at + 1].map((own) => String.fromCharCode(65 + (own % 26)));
    const base = (path) => path.split(/[/\\]/).pop();

    /** What a counter of the panel is in the maps of a report or of one of its lines. */
    const count = (counter, { metrics, estimates }) => {
        const from = counter.own ? estimates : metrics;
        return counter.of.reduce((sum, name) => sum + (from[name] ?? 0), 0);
    };

    /**
     * The part of a panel that shows its runs, in `told` and beside its listings. `heat()` is the counter that is shown line by line,
     * `pane()` the editors, if they were opened, and `rerun(values)` runs the panel again with other choices.
     */
    const shown = ({ state, file, listings, told, still, heatOf, heat, pane, rerun }) => {
        /** The run that is shown, and the one before it that it is compared with. */
        let last = null;
        let before = null;

        /** Counts per line of the listing's file. */
        const lines = () => {
            const counter = state.counters.find((own) => own.name === heat());
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
            again.addEventListener("click", () => rerun({ order: String(seed), orders: "1" }));
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
                back.addEventListener("click", () => rerun({ order: "0" }));
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
            if (last.what.edited) return line ? pane().line(line) : "";
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
                make("th", { scope: "col", class: "wb-n" }, heat()), make("th", { scope: "col" }, "findings"));
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
                pane().mark(found.flatMap((finding) => (finding.parties?.length === 2 ? finding.parties.map((party) => party.line) : [finding.line])
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
        const show = (run, earlier) => {
            last = run;
            before = earlier;
            draw();
        };
        return { show, draw, spoken };
    };

    return { shown, count };
})();
