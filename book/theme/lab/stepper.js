// Steppers: a launch that readers step forwards and back. A session of the engine knows what is at every position; here it is
// asked for, and set out as tables beside the listing.
"use strict";

(() => {
    const { make } = window.wbLab;
    const number = (value) => value.toLocaleString("en-US");
    const base = (path) => path.split(/[/\\]/).pop();
    const LANES = [...Array(32).keys()];
    /** A message's text, with what stands in backticks as code. */
    const prose = (text) => text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
    const has = (mask, lane) => ((mask >>> lane) & 1) === 1;
    /** `lanes 0 to 3 and 9`, as runs. */
    const lanesText = (mask) => {
        const runs = [];
        for (const lane of LANES.filter((own) => has(mask, own))) {
            const last = runs.at(-1);
            if (last && last[1] === lane - 1) last[1] = lane;
            else runs.push([lane, lane]);
        }
        if (runs.length === 0) return "no lane";
        if (mask >>> 0 === 0xffffffff) return "all 32 lanes";
        return `lanes ${runs.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(", ")}`;
    };
    const stateText = (state) => {
        if (typeof state === "object" && "at_barrier" in state) return `waits at barrier ${state.at_barrier}`;
        if (typeof state === "object") return `waits for ${lanesText(state.for_lanes)}`;
        return { not_started: "has not started", ready: "can go on", to_reconverge: "waits to reconverge", spinning: "spins",
            exited: "has exited" }[state] ?? state;
    };
    const EVENTS = [["divergence", "divergence"], ["conflict", "bank conflict"], ["scattered", "scattered access"],
        ["atomic", "atomic"], ["barrier", "barrier"], ["finding", "finding"], ["shared", "shared access"],
        ["global", "global access"]];
    const UNITS = [["warp", "instruction of this warp"], ["line", "source line of this warp"], ["block", "instruction of this block"],
        ["step", "instruction of any warp"]];
    /** Milliseconds between the steps of play. */
    const BEAT = 600;

    const mount = (section, config, lab) => {
        const id = section.id;
        const file = base(config.file).replace(/\.ptx$/, ".cu");
        const still = section.querySelector(".wb-step-still");
        const defaults = { t: config.position, block: config.block, warp: config.warp, unit: "warp", event: "divergence" };
        let now = { ...defaults };
        let opened = null;
        let view = null;
        /** The word of shared memory that is selected. */
        let selected = 0;
        /** Where jumps came from. */
        const before = [];
        let timer = 0;

        // --- The listing ----------------------------------------------------------------------------------------------------
        const listings = [...section.querySelectorAll(".wb-listing")].map((listing) => {
            const gutter = listing.querySelector(".wb-gutter");
            const marks = make("pre", { class: "wb-gutter wb-step-marks", "aria-hidden": "true", hidden: true });
            gutter.after(marks);
            return { marks, lines: gutter.textContent.split("\n").map(Number) };
        });

        // --- Controls -------------------------------------------------------------------------------------------------------
        const button = (text, label, press) => make("button", { type: "button", "aria-label": label, title: label, onclick: press }, text);
        const start = make("button", { type: "button", class: "wb-step-start", onclick: () => begin() }, "Step through it");
        const progress = make("p", { class: "wb-step-progress", hidden: true });
        const choice = (key, label, options) => {
            const select = make("select", { id: `${id}-${key}` }, ...options.map(([value, text]) => make("option", { value }, text)));
            select.addEventListener("change", () => { now[key] = select.value; remember(); });
            return [make("label", { for: select.id }, label), select];
        };
        const [unitLabel, units] = choice("unit", "step by", UNITS);
        const [eventLabel, events] = choice("event", "jump to", EVENTS);
        const warps = make("select", { id: `${id}-warp` });
        warps.addEventListener("change", () => {
            const [block, warp] = warps.value.split(",").map(Number);
            Object.assign(now, { block, warp });
            ask("view", {});
        });
        const play = button("▶", "play", () => toggle());
        const slider = make("input", { type: "range", min: 0, step: 1, id: `${id}-t`, "aria-label": "position in the launch" });
        slider.addEventListener("input", () => scrub(slider.valueAsNumber));
        const strip = make("div", { class: "wb-step-strip", "aria-hidden": "true" });
        const place = make("span", { class: "wb-step-t" });
        const bar = make("div", { class: "wb-step-bar", hidden: true },
            make("div", { class: "wb-step-row" },
                button("|◂", "to the beginning", () => seek(0)), button("◂", "a step back", () => step("back")), play,
                button("▸", "a step on", () => step("forward")), button("▸|", "to the end", () => seek(opened.length)), place),
            make("div", { class: "wb-step-row" },
                make("span", { class: "wb-step-field" }, make("label", { for: warps.id }, "look at"), warps),
                make("span", { class: "wb-step-field" }, unitLabel, units)),
            make("div", { class: "wb-step-row" },
                make("span", { class: "wb-step-field" }, eventLabel, events,
                    make("span", { class: "wb-step-pair" },
                        button("‹", "the event before", () => jump("back")), button("›", "the next event", () => jump("forward"))))),
            make("div", { class: "wb-step-time" }, strip, slider));
        const said = make("p", { class: "wb-step-said" });
        const told = make("div", { class: "wb-step-told", hidden: true });
        section.querySelector(".wb-lab-title").after(start, progress, bar, said);
        still.after(told);

        const remember = () => {
            const values = {};
            for (const [key, value] of Object.entries(now)) if (value !== defaults[key]) values[key] = String(value);
            lab.url.set(id, values);
        };
        const restore = (values) => {
            now = { ...defaults };
            for (const key of ["t", "block", "warp"]) if (/^\d{1,9}$/.test(values[key] ?? "")) now[key] = Number(values[key]);
            if (UNITS.some(([unit]) => unit === values.unit)) now.unit = values.unit;
            if (EVENTS.some(([event]) => event === values.event)) now.event = values.event;
            units.value = now.unit;
            events.value = now.event;
        };

        // --- The session ----------------------------------------------------------------------------------------------------
        const show = () => ({ warp: [now.block, now.warp], shared: [0, config.words] });
        const phase = (to) => { section.dataset.run = to; };
        const failed = (error, request) => {
            phase("error");
            pause();
            const kinds = { unsupported: "This is not supported: ", budget: "Too much for a page: ", internal: "Our fault, not yours: " };
            said.textContent = (kinds[error.kind] ?? "") + error.message;
            if (error.kind === "internal") console.error(window.wbEngine?.complaint(error, request));
            progress.hidden = true;
            start.hidden = false;
            start.textContent = "Try again";
            opened = null;
        };
        const engine = async () => {
            await lab.load("engine.js");
            return window.wbEngine;
        };
        const request = async (what) => {
            try {
                return await (await engine()).ask(what);
            } catch (error) {
                return { error: { kind: "internal", message: error.message } };
            }
        };
        /** Opens the session at the position that is wanted. */
        const open = async () => {
            const answer = await request({ ...config.open, columns: 128 });
            if (!answer.ok) { failed(answer.error, config.open); return false; }
            opened = answer.ok;
            now.block = Math.min(now.block, opened.blocks - 1);
            now.warp = Math.min(now.warp, opened.warps - 1);
            slider.max = opened.length;
            warps.replaceChildren();
            const blocks = Math.min(opened.blocks, 64);
            for (let block = 0; block < blocks; block++) {
                for (let warp = 0; warp < opened.warps; warp++) {
                    const name = opened.blocks > 1 ? `block ${block}, warp ${warp}` : `warp ${warp}`;
                    warps.append(make("option", { value: `${block},${warp}` }, name));
                }
            }
            strip.replaceChildren(...opened.timeline.map(({ events: own = [], excess }) => {
                const column = make("span", { class: own.includes("finding") ? "wb-step-found" : own.includes("barrier") ? "wb-step-barrier" : "" });
                column.style.setProperty("--excess", String(Math.min(1, excess / 16)));
                return column;
            }));
            return true;
        };
        const begin = async () => {
            phase("running");
            start.disabled = true;
            progress.hidden = false;
            progress.textContent = "loading the simulator …";
            const fine = await open();
            start.disabled = false;
            if (!fine) { start.focus(); return; }
            progress.hidden = true;
            const focused = document.activeElement === start || document.activeElement === document.body;
            start.hidden = true;
            bar.hidden = false;
            still.hidden = true;
            told.hidden = false;
            await ask("seek", { position: now.t });
            if (focused) bar.querySelectorAll("button")[3].focus();
        };

        // One request after another; of several positions that are scrubbed over, only the last is asked for.
        let queue = Promise.resolve();
        const ask = (op, more) => {
            queue = queue.then(async () => {
                if (!opened) return;
                const what = () => ({ op, session: opened.session, show: show(), ...more });
                let answer = await request(what());
                if (answer.error && /no session/.test(answer.error.message) && await open()) {
                    // The worker was ended, or other widgets have taken its room.
                    await request({ op: "seek", session: opened.session, position: now.t });
                    answer = await request(what());
                }
                if (!answer.ok) { if (opened) failed(answer.error, what()); return; }
                phase("done");
                view = answer.ok.view;
                now.t = answer.ok.position;
                draw(answer.ok.found);
                remember();
            });
            return queue;
        };
        const seek = (position) => ask("seek", { position });
        const step = (direction) => ask("step", { direction, unit: now.unit, warp: [now.block, now.warp] });
        /** A jump takes whoever looks along: to the warp that it is about. */
        const follow = async (op, more) => {
            const from = { ...now };
            await ask(op, more);
            if (!view || now.t === from.t) return;
            before.push(from);
            const { last } = view;
            if (last && (last.block !== now.block || last.warp !== now.warp)) {
                Object.assign(now, { block: last.block, warp: last.warp });
                await ask("view", {});
            }
        };
        const jump = (direction) => follow("find", { for: { event: { event: now.event, direction } } });
        const writer = () => follow("find", { for: { last_write: { shared: { block: now.block, address: 4 * selected, bytes: 4 } } } });
        const returned = async () => {
            const from = before.pop();
            if (!from) return;
            Object.assign(now, from);
            await seek(from.t);
        };
        let wanted = null;
        const scrub = (position) => {
            const busy = wanted !== null;
            wanted = position;
            if (busy) return;
            queue.then(async () => {
                const to = wanted;
                wanted = null;
                await seek(to);
            });
        };
        const other = (by) => {
            const at = warps.selectedIndex + by;
            if (at < 0 || at >= warps.options.length) return;
            warps.selectedIndex = at;
            warps.dispatchEvent(new Event("change"));
        };

        // --- Play -----------------------------------------------------------------------------------------------------------
        const pause = () => {
            clearInterval(timer);
            timer = 0;
            play.textContent = "▶";
            play.setAttribute("aria-label", "play");
        };
        const toggle = () => {
            if (timer) { pause(); return; }
            play.textContent = "▮▮";
            play.setAttribute("aria-label", "pause");
            timer = setInterval(() => {
                if (document.hidden || !view || now.t >= opened.length) pause();
                else step("forward");
            }, BEAT);
        };

        // --- What is shown --------------------------------------------------------------------------------------------------
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
        const paths = () => view.warp.paths.map((path, at) => make("div", { class: at === view.warp.path ? "wb-step-path wb-step-shown" : "wb-step-path" },
            make("p", {}, make("b", {}, at === view.warp.path ? "▸ " : "", where(path.place)), `: ${lanesText(path.lanes)}, ${stateText(path.state)}`),
            make("p", {}, make("code", {}, path.place.text), make("small", {}, ` PTX line ${path.place.ptx_line}`)),
            mask(path.lanes, view.warp.live)));
        const warpsTable = () => {
            const { block } = view;
            const rows = block.warps.map((own, warp) => {
                const next = view.next && view.next.block === block.block && view.next.warp === warp;
                return make("tr", { class: warp === view.warp.warp ? "wb-step-shown" : "" },
                    make("th", { scope: "row" }, `${next ? "▸ " : ""}${warp}`), make("td", {}, stateText(own.state)),
                    make("td", { class: "wb-n" }, own.line ? String(own.line) : "–"));
            });
            const waits = (block.barriers ?? []).map(({ id: own, waiting, missing }) =>
                make("p", { class: "wb-step-waits" }, `Barrier ${own}: warp${waiting.length === 1 ? "" : "s"} ${waiting.join(", ")} wait${waiting.length === 1 ? "s" : ""}; `
                    + (missing.length ? `missing: ${missing.join(", ")}.` : "nobody is missing.")));
            return [table(`Warps of block ${block.block}`, ["warp", "what it does", "line"], rows), ...waits];
        };
        const access = () => (view.last?.accesses ?? []).map((own) => {
            const cells = (name, values) => make("tr", {}, make("th", { scope: "row" }, name), ...values.map((value) => make("td", { class: "wb-n" }, value)));
            const cost = own.cost === undefined ? "" : `: ${own.cost} ${own.shared ? "wavefront" : "sector"}${own.cost === 1 ? "" : "s"}, best ${own.ideal}`;
            return table(`The last access, by warp ${view.last.warp}: ${own.what}${cost}`, ["lane", ...LANES.map(String)],
                [cells("address", own.addresses.map((address) => address ?? "–"))]);
        });
        const registers = () => {
            const rows = view.warp.registers.map(({ name, kind, written, values }) => {
                const row = make("tr", { class: written ? "wb-step-written" : "" },
                    make("th", { scope: "row" }, make("code", {}, name), " ", make("small", {}, written ? `${kind}, written` : kind)));
                const same = values.every((value) => value === values[0]);
                if (same) row.append(make("td", { colspan: "32" }, `${values[0] ?? "–"} in all lanes`));
                else values.forEach((value) => row.append(make("td", { class: "wb-n" }, value ?? "–")));
                return row;
            });
            if (rows.length === 0) return [];
            return [table(`Registers of warp ${view.warp.warp} that are still needed, lane by lane`, ["lane", ...LANES.map(String)], rows)];
        };
        const valueOf = (word) => `word ${word}, bank ${word % 32}: ${view.block.shared.values[word] ?? "–"}`;
        const grid = () => {
            const { shared } = view.block;
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
            const name = `Shared memory of block ${view.block.block} as ${shared.kind}: ${number(shared.words)} words, one bank a column`;
            const asks = make("button", { type: "button", onclick: () => writer() }, "Who wrote this word?");
            return [make("div", { class: "wb-step-row" }, lens, asks), make("div", { class: "wb-table wb-step-shared", tabindex: "0", role: "region", "aria-label": name },
                make("table", {}, make("caption", {}, name), make("thead", {}, head), body))];
        };
        const findings = () => opened.findings.map(({ position, finding }) => make("p", { class: "wb-step-finding" },
            make("b", {}, `${finding.severity === "remark" ? "remark" : "finding"} [${finding.kind}], line ${finding.line}: `), ...prose(`${finding.message}. `),
            make("button", { type: "button", onclick: () => follow("seek", { position }) }, `Go to step ${number(position)}`)));
        const draw = (found) => {
            if (!view) return;
            slider.value = now.t;
            slider.setAttribute("aria-valuetext", `step ${now.t} of ${opened.length}`);
            place.textContent = `step ${number(now.t)} of ${number(opened.length)}`;
            warps.value = `${now.block},${now.warp}`;
            const next = view.next ? ` Next: warp ${view.next.warp}, ${where(view.next.place)}.` : " Nothing more is executed.";
            const none = found ? "" : "There is none. ";
            said.textContent = none + view.sentence + next;
            lab.status(section, none + view.sentence);
            const ours = view.warp.paths.filter((path) => base(path.place.file) === file);
            const at = new Set(ours.flatMap((path) => [path.place.line, ...(path.place.inlined_in ?? []).map((own) => own.line)]));
            const shownPath = view.warp.paths[view.warp.path];
            const last = view.last && base(view.last.place.file) === file ? view.last.place.line : 0;
            for (const { marks, lines } of listings) {
                marks.hidden = false;
                marks.replaceChildren();
                lines.forEach((line, index) => {
                    const isNow = line && shownPath && base(shownPath.place.file) === file && shownPath.place.line === line;
                    const kind = isNow ? "wb-step-now" : line && at.has(line) ? "wb-step-also" : line && line === last ? "wb-step-last" : "";
                    const text = { "wb-step-now": "▸", "wb-step-also": "▹", "wb-step-last": "·" }[kind] ?? " ";
                    marks.append(make("span", { class: kind }, ` ${text} `), index + 1 < lines.length ? "\n" : "");
                });
            }
            // What is scrolled sideways and what has the focus stays so.
            const old = [...told.querySelectorAll(".wb-table")].map((own) => [own.getAttribute("aria-label")?.split(" ").slice(0, 3).join(" "), own.scrollLeft, own.scrollTop]);
            const focus = document.activeElement;
            const inTold = told.contains(focus);
            const inGrid = inTold && focus.matches(".wb-step-shared td");
            const inRegion = inTold && focus.matches(".wb-table") ? focus.getAttribute("aria-label").split(" ").slice(0, 3).join(" ") : null;
            told.replaceChildren(
                make("div", { class: "wb-step-columns" }, make("div", {}, ...(view.warp.paths.length ? paths() : [make("p", {}, `Warp ${view.warp.warp} ${stateText(view.block.warps[view.warp.warp].state)}.`)])),
                    make("div", {}, ...warpsTable())),
                ...access(), ...registers(), ...grid(), ...findings());
            for (const region of told.querySelectorAll(".wb-table")) {
                const name = region.getAttribute("aria-label").split(" ").slice(0, 3).join(" ");
                const same = old.find(([own]) => own === name);
                if (same) [region.scrollLeft, region.scrollTop] = same.slice(1);
                if (name === inRegion) region.focus({ preventScroll: true });
            }
            if (inGrid) told.querySelector(".wb-step-chosen")?.focus({ preventScroll: true });
            // A table that is gone leaves its keys to the button that steps on.
            if (inTold && !told.contains(document.activeElement)) bar.querySelectorAll("button")[3].focus({ preventScroll: true });
            // Beside a column more, code may be wider than its box: what then scrolls takes the focus.
            window.dispatchEvent(new Event("resize"));
        };
        const reset = () => {
            pause();
            before.length = 0;
            restore({});
            remember();
            if (opened) seek(now.t);
        };

        restore(lab.url.get(id));
        lab.url.watch?.(id, (values) => { restore(values); if (opened) seek(now.t); else begin(); });
        window.addEventListener("beforeprint", () => { bar.hidden = true; });
        window.addEventListener("afterprint", () => { bar.hidden = !opened; });
        phase("idle");
        if (Object.keys(lab.url.get(id)).length > 0) begin();
        const go = (work) => () => { if (opened) work(); };
        return {
            keys: [
                [".", "a step on", go(() => step("forward"))], [",", "a step back", go(() => step("back"))],
                [">", "to the next barrier", go(() => follow("find", { for: { event: { event: "barrier" } } }))],
                ["<", "to the barrier before", go(() => follow("find", { for: { event: { event: "barrier", direction: "back" } } }))],
                ["n", "to the next event of the chosen kind", go(() => jump("forward"))],
                ["p", "to the event before", go(() => jump("back"))],
                ["w", "who wrote the selected word of shared memory", go(() => writer())],
                ["[", "the warp before", go(() => other(-1))], ["]", "the next warp", go(() => other(1))],
                ["Home", "to the beginning", go(() => seek(0))], ["End", "to the end", go(() => seek(opened.length))],
                ["Backspace", "back to where a jump came from", go(() => returned())],
                ["r", "back to where the page begins", reset],
            ],
            help: [["Space", "on the play button: play and pause"], ["arrows", "on a word of shared memory: select another"]],
        };
    };

    window.wbLab.register("stepper", mount);
})();
