// Steppers: a launch that readers step forwards and back. A session of the engine knows what is at every position; here it is
// asked for, shown beside the listing, and set out as tables (`stepper-tables.js`).
"use strict";

(() => {
    const { make } = window.wbLab;
    const EVENTS = [["divergence", "divergence"], ["conflict", "bank conflict"], ["scattered", "scattered access"],
        ["atomic", "atomic"], ["barrier", "barrier"], ["finding", "finding"], ["shared", "shared access"],
        ["global", "global access"]];
    const UNITS = [["warp", "instruction of this warp"], ["line", "source line of this warp"], ["block", "instruction of this block"],
        ["step", "instruction of any warp"]];
    /** Milliseconds between the steps of play. */
    const BEAT = 600;

    const mount = (section, config, lab) => {
        const { number, base, stateText } = window.wbStepperTables;
        const id = section.id;
        const file = base(config.file).replace(/\.ptx$/, ".cu");
        const still = section.querySelector(".wb-step-still");
        const defaults = { t: config.position, block: config.block, warp: config.warp, unit: "warp", event: "divergence" };
        let now = { ...defaults };
        let opened = null;
        let view = null;
        /** Where jumps came from. */
        const before = [];
        let timer = 0;

        const tables = window.wbStepperTables.shown({
            file, view: () => view, opened: () => opened, writer: () => writer(), follow: (position) => follow("seek", { position }),
        });

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
        const writer = () => follow("find", { for: { last_write: { shared: { block: now.block, address: 4 * tables.selected(), bytes: 4 } } } });
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
        const draw = (found) => {
            if (!view) return;
            slider.value = now.t;
            slider.setAttribute("aria-valuetext", `step ${now.t} of ${opened.length}`);
            place.textContent = `step ${number(now.t)} of ${number(opened.length)}`;
            warps.value = `${now.block},${now.warp}`;
            const next = view.next ? ` Next: warp ${view.next.warp}, ${tables.where(view.next.place)}.` : " Nothing more is executed.";
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
                make("div", { class: "wb-step-columns" }, make("div", {}, ...(view.warp.paths.length ? tables.paths() : [make("p", {}, `Warp ${view.warp.warp} ${stateText(view.block.warps[view.warp.warp].state)}.`)])),
                    make("div", {}, ...tables.warpsTable())),
                ...tables.access(), ...tables.registers(), ...tables.grid(), ...tables.findings());
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

    window.wbLab.register("stepper", async (section, config, lab) => {
        await lab.load("stepper-tables.js");
        return mount(section, config, lab);
    });
})();
