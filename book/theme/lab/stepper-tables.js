// What a stepper shows of a position: the paths of a warp, the warps of a block, the last access, registers by lane, shared memory
// by bank, findings. The engine's session knows all of it; here it is set out as tables.
"use strict";

window.wbStepperTables = (() => {
    const { make } = window.wbLab;
    const number = (value) => value.toLocaleString("en-US");
    const base = (path) => path.split(/[/\\]/).pop();
    const LANES = [...Array(32).keys()];
    /** A message's text, with what stands in backticks as code. */
    const prose = (text) => text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
    const has = (mask, lane) => ((mask >>> lane) & 1) === 1;
    /** `lanes 0–3, 9`, as runs. */
    const lanesText = (mask) => {
        const runs = [];
        for (const lane of LANES.filter((own) => has(mask, own))) {
            const last = runs.at(-1);
            if (last && last[1] === lane - 1) last[1] = lane;
            else runs.push([lane, lane]);
        }
        if (runs.length === 0) return "no lane";
        if (mask >>> 0 === 0xffffffff) return "all 32 lanes";
        return `${runs.length === 1 && runs[0][0] === runs[0][1] ? "lane" : "lanes"} ${runs.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(", ")}`;
    };
    const stateText = (state) => {
        if (typeof state === "object" && "at_barrier" in state) return `waits at barrier ${state.at_barrier}`;
        if (typeof state === "object") return `waits for ${lanesText(state.for_lanes)}`;
        return { not_started: "has not started", ready: "can go on", to_reconverge: "waits to reconverge", spinning: "spins",
            exited: "has exited" }[state] ?? state;
    };

    /**
     * The tables of a stepper. `view()` is what the session shows now, `opened()` the session; `writer()` jumps to who wrote the selected
     * word of shared memory, `follow(position)` to a position.
     */
    const shown = ({ file, view, opened, writer, follow }) => {
        /** The word of shared memory that is selected. */
        let selected = 0;
        const table = (caption, heads, rows, attributes = {}) => {
            const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
            return make("div", { class: "wb-table", tabindex: "0", role: "region", "aria-label": caption, ...attributes },
                make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...rows)));
        };
        const inner = (own) => (own.inlined_in ?? []).map(({ file: name, line }) => `, called in line ${line}${base(name) === file ? "" : ` of ${base(name)}`}`).join("");
        const where = (own) => `line ${own.line}${base(own.file) === file ? "" : ` of ${base(own.file)}`}${inner(own)}`;
        const mask = (lanes, live) => {
            const cells = LANES.map((lane) => make("span", { class: has(lanes, lane) ? "wb-step-on" : has(live, lane) ? "wb-step-off" : "wb-step-gone" },
                lane % 8 === 0 ? String(lane) : ""));
            return make("div", { class: "wb-step-mask", role: "img", "aria-label": `${lanesText(lanes)} of ${lanesText(live)} that have not exited` }, ...cells);
        };
        const paths = () => view().warp.paths.map((path, at) => make("div", { class: at === view().warp.path ? "wb-step-path wb-step-shown" : "wb-step-path" },
            make("p", {}, make("b", {}, at === view().warp.path ? "▸ " : "", where(path.place)), `: ${lanesText(path.lanes)}, ${stateText(path.state)}`),
            make("p", {}, make("code", {}, path.place.text), make("small", {}, ` PTX line ${path.place.ptx_line}`)),
            mask(path.lanes, view().warp.live)));
        const warpsTable = () => {
            const { block } = view();
            const rows = block.warps.map((own, warp) => {
                const next = view().next && view().next.block === block.block && view().next.warp === warp;
                return make("tr", { class: warp === view().warp.warp ? "wb-step-shown" : "" },
                    make("th", { scope: "row" }, `${next ? "▸ " : ""}${warp}`), make("td", {}, stateText(own.state)),
                    make("td", { class: "wb-n" }, own.line ? String(own.line) : "–"));
            });
            const waits = (block.barriers ?? []).map(({ id: own, waiting, missing }) =>
                make("p", { class: "wb-step-waits" }, `Barrier ${own}: warp${waiting.length === 1 ? "" : "s"} ${waiting.join(", ")} wait${waiting.length === 1 ? "s" : ""}; `
                    + (missing.length ? `missing: ${missing.join(", ")}.` : "nobody is missing.")));
            return [table(`Warps of block ${block.block}`, ["warp", "what it does", "line"], rows), ...waits];
        };
        const access = () => (view().last?.accesses ?? []).map((own) => {
            const cells = (name, values) => make("tr", {}, make("th", { scope: "row" }, name), ...values.map((value) => make("td", { class: "wb-n" }, value)));
            const cost = own.cost === undefined ? "" : `: ${own.cost} ${own.shared ? "wavefront" : "sector"}${own.cost === 1 ? "" : "s"}, best ${own.ideal}`;
            return table(`The last access, by warp ${view().last.warp}: ${own.what}${cost}`, ["lane", ...LANES.map(String)],
                [cells("address", own.addresses.map((address) => address ?? "–"))]);
        });
        const registers = () => {
            const rows = view().warp.registers.map(({ name, kind, written, values }) => {
                const row = make("tr", { class: written ? "wb-step-written" : "" },
                    make("th", { scope: "row" }, make("code", {}, name), " ", make("small", {}, written ? `${kind}, written` : kind)));
                const same = values.every((value) => value === values[0]);
                if (same) row.append(make("td", { colspan: "32" }, `${values[0] ?? "–"} in all lanes`));
                else values.forEach((value) => row.append(make("td", { class: "wb-n" }, value ?? "–")));
                return row;
            });
            if (rows.length === 0) return [];
            return [table(`Registers of warp ${view().warp.warp} that are still needed, lane by lane`, ["lane", ...LANES.map(String)], rows)];
        };
        const valueOf = (word) => `word ${word}, bank ${word % 32}: ${view().block.shared.values[word] ?? "–"}`;
        const grid = () => {
            const { shared } = view().block;
            if (!shared) return [];
            const touched = new Set(shared.touched ?? []);
            selected = Math.min(selected, shared.values.length - 1);
            const body = make("tbody");
            const cellOf = (word) => body.rows[Math.floor(word / 32)]?.cells[1 + (word % 32)];
            const lens = make("p", { class: "wb-step-lens", "aria-live": "polite" }, valueOf(selected));
            const choose = (word, focus) => {
                if (word < 0 || word >= shared.values.length) return;
                cellOf(selected)?.setAttribute("tabindex", "-1");
                cellOf(selected)?.classList.remove("wb-step-chosen");
                selected = word;
                const cell = cellOf(word);
                cell.setAttribute("tabindex", "0");
                cell.classList.add("wb-step-chosen");
                if (focus) cell.focus();
                lens.textContent = valueOf(word);
            };
            for (let from = 0; from < shared.values.length; from += 32) {
                const row = make("tr", {}, make("th", { scope: "row" }, String(from)));
                shared.values.slice(from, from + 32).forEach((value, bank) => {
                    const word = from + bank;
                    row.append(make("td", {
                        class: `wb-n${touched.has(word) ? " wb-step-touched" : ""}${word === selected ? " wb-step-chosen" : ""}`,
                        tabindex: word === selected ? "0" : "-1", onclick: () => choose(word, true),
                    }, value));
                });
                body.append(row);
            }
            body.addEventListener("keydown", (event) => {
                const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -32, ArrowDown: 32 }[event.key];
                if (by === undefined) return;
                event.preventDefault();
                choose(selected + by, true);
            });
            const head = make("tr", {}, make("th", { scope: "col" }, "bank"), ...LANES.map((bank) => make("th", { scope: "col" }, String(bank))));
            const name = `Shared memory of block ${view().block.block} as ${shared.kind}: ${number(shared.words)} words, one bank a column`;
            const asks = make("button", { type: "button", onclick: () => writer() }, "Who wrote this word?");
            return [make("div", { class: "wb-step-row" }, lens, asks), make("div", { class: "wb-table wb-step-shared", tabindex: "0", role: "region", "aria-label": name },
                make("table", {}, make("caption", {}, name), make("thead", {}, head), body))];
        };
        const findings = () => opened().findings.map(({ position, finding }) => make("p", { class: "wb-step-finding" },
            make("b", {}, `${finding.severity === "remark" ? "remark" : "finding"} [${finding.kind}], line ${finding.line}: `), ...prose(`${finding.message}. `),
            make("button", { type: "button", onclick: () => follow(position) }, `Go to step ${number(position)}`)));
        return { where, paths, warpsTable, access, registers, grid, findings, selected: () => selected };
    };

    return { shown, number, base, stateText };
})();
