// The access explorer: which banks, sectors or words the lanes of a warp need, while the reader changes the addresses.
//
// Everything that is drawn, said or counted comes from the module `access`, the Rust code that drew the figure of the page.
// Here are only the selection, and what a reader has tried; the controls are those of `explorer-fields.js`.
"use strict";

wbLab.register("explorer", async (section, config, lab) => {
    const module = await lab.wasm("access");
    await lab.load("explorer-fields.js");
    const { make } = lab;
    const { button } = window.wbExplorerFields;
    const id = section.id;
    const initial = config.state;
    /** How many tries are kept, and after how many the whole curve may be drawn. */
    const KEPT = 12;
    const ENOUGH = 5;

    // --- What is set -----------------------------------------------------------------------------------------------------
    const kept = { ...lab.store.get(id) };
    let state = { ...initial };
    let shown = null;
    let selected = null;
    let tries = Array.isArray(kept.tries) ? kept.tries.filter(Number.isInteger).slice(-KEPT) : [];
    let isAll = false;
    let level = config.levels?.length > 0 ? 0 : null;
    let attempts = 0;
    const ask = config.ask ?? null;
    const keep = (values) => { Object.assign(kept, values); lab.store.set(id, kept); };

    const LANES = { banks: true, sectors: true, atomics: true, ballot: true, threads: false, occupancy: false }[initial.mode];
    /** What is selected in the figure. */
    const WHAT = LANES ? "lane" : initial.mode === "occupancy" ? "block" : "thread";
    const axis = config.axis ?? null;

    const request = (asked, link) => module.call({
        state: asked,
        initial,
        ...(link ? { link } : {}),
        ...(axis ? { curve: { control: axis, tried: tries, all: isAll, guess: guessed() } } : {}),
        ...(level !== null ? { level: config.levels[level] } : {}),
    });
    const guessed = () => {
        const own = ask && axis && typeof kept.guess === "number" && ask.set[axis] !== undefined;
        return own && kept.guess >= 0 && Number.isInteger(kept.guess) ? [ask.set[axis], kept.guess] : null;
    };

    // --- The parts of the page -------------------------------------------------------------------------------------------
    const figure = section.querySelector("figure");
    const caption = figure.querySelector("figcaption");
    const table = section.querySelector("details.wb-numbers");
    const picture = make("div", {
        class: "wb-lab-picture", tabindex: "0", role: "group", "aria-label": "The figure: arrow keys select", "aria-describedby": `${id}-lens`,
    });
    const note = make("p", { class: "wb-lab-note", "aria-live": "polite" });
    const panel = make("fieldset", { class: "wb-lab-controls" }, make("legend", { class: "wb-hidden" }, "Controls"));
    const lens = make("p", { class: "wb-lab-lens", id: `${id}-lens` });
    const curve = make("div", { class: "wb-lab-curve wb-figure" });
    const headline = make("p", { class: "wb-lab-cost", "aria-hidden": "true" });
    const triesLine = make("p", { class: "wb-lab-tries" });
    const task = make("div", { class: "wb-lab-task" });
    const guess = make("div", { class: "wb-lab-guess" });

    // --- Controls --------------------------------------------------------------------------------------------------------
    const { NAMES, fields, field } = window.wbExplorerFields.controls({
        id, config, set: (values) => set(values), tried: (name, values) => tried(name, values),
    });

    // --- Drawing ---------------------------------------------------------------------------------------------------------
    const mark = () => {
        picture.querySelectorAll(".wb-svg-now").forEach((old) => old.remove());
        const svg = picture.querySelector("svg");
        lens.replaceChildren();
        const lane = selected === null ? null : shown.lanes[selected];
        if (!lane) {
            lens.append(`Select a ${WHAT} in the figure: arrow keys, a finger, or `);
        } else {
            for (const cell of cellsOf(selected)) {
                const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
                const { x, y, width, height } = cell;
                for (const [name, value] of Object.entries({ x, y, width, height, class: "wb-svg-now" })) box.setAttribute(name, value);
                svg.append(box);
            }
        }
        const many = shown.lanes.length;
        const go = (by) => { if (many > 0) select(selected === null ? 0 : (selected + by + many) % many); };
        const text = make("span", {}, lane ? lane.text : "");
        lens.append(button("‹", () => go(-1), { "aria-label": `the ${WHAT} before` }), text,
            button("›", () => go(1), { "aria-label": `the next ${WHAT}` }));
        if (lane && LANES && !panel.disabled) {
            const word = initial.mode === "ballot" ? (lane.on ? "vote no" : "vote yes") : lane.on ? "leave out" : "take part";
            lens.append(button(word, toggle, { class: "wb-lab-toggle" }));
        }
    };
    const holds = (cell, lane) => LANES ? (cell.lanes >>> lane & 1) === 1 : cell.lanes === lane;
    const cellsOf = (lane) => shown.cells.filter((cell) => holds(cell, lane));
    const select = (lane) => {
        selected = lane;
        const focus = document.activeElement;
        const label = lens.contains(focus) ? focus.getAttribute("aria-label") : null;
        mark();
        // The buttons are new; the focus stays where it was.
        if (label) lens.querySelector(`[aria-label="${label}"]`)?.focus();
        if (shown.lanes[lane]) lab.status(section, shown.lanes[lane].text);
    };
    const toggle = () => {
        if (selected === null || !LANES || panel.disabled) return;
        const inLens = lens.contains(document.activeElement);
        set({ active: (state.active ^ 1 << selected) >>> 0, ...(initial.mode === "ballot" ? { formula: null } : {}) });
        if (inLens) lens.querySelector(".wb-lab-toggle")?.focus();
    };

    /** The table is written when it is unfolded: what nobody sees costs a phone as much time as the drawing. */
    let tableText = null;
    const fillTable = () => {
        if (tableText !== null) table.querySelector(".wb-table").outerHTML = tableText;
        tableText = null;
    };
    table.addEventListener("toggle", fillTable);
    window.addEventListener("beforeprint", fillTable);

    /** The curve as it was drawn last. */
    let curveText = "";
    const draw = (reply) => {
        shown = reply;
        state = reply.state;
        const box = picture.querySelector(".wb-scroll");
        if (!box || box.outerHTML !== reply.figure) picture.innerHTML = reply.figure;
        // One stop for Tab: the picture around it.
        picture.querySelector(".wb-scroll").removeAttribute("tabindex");
        caption.innerHTML = reply.caption;
        // The title of the drawing, which is too small on a phone.
        headline.textContent = picture.querySelector("svg").getAttribute("aria-label");
        tableText = reply.table;
        if (table.open) fillTable();
        note.textContent = reply.note;
        fields.forEach((own) => own.show(state, shown));
        const more = (name) => fields.get(name)?.box;
        if (more("every")) more("every").hidden = state.swizzle !== "pad";
        if (more("stride")) more("stride").classList.toggle("wb-lab-unused", state.formula !== null);
        if (selected !== null && selected >= reply.lanes.length) selected = null;
        mark();
        drawCurve(reply);
        drawTask(reply);
        drawGuess();
    };
    const drawCurve = (reply) => {
        if (!axis) return;
        const own = reply.curve;
        triesLine.replaceChildren();
        if (own.tries.length > 0) triesLine.append(`Your tries: ${own.tries.join(", ")}. `);
        if (tries.length >= ENOUGH || isAll) {
            triesLine.append(button(isAll ? "only my tries" : "show all", () => { isAll = !isAll; set({}); }));
        } else if (tries.length > 0) {
            triesLine.append(`After ${ENOUGH} tries the whole curve can be drawn, or `,
                button("show all", () => { isAll = true; set({}); }), " at once.");
        }
        if (own.figure === curveText) return;
        curveText = own.figure;
        curve.innerHTML = curveText;
    };

    /** Asks the module for what is set and shows it; what cannot be is said beside its field, and nothing else changes. */
    let pending = null;
    const set = (values) => {
        pending = { ...(pending ?? state), ...values };
        if (values.stride !== undefined || values.words !== undefined || values.offset !== undefined) {
            pending.formula = null;
        }
        const reply = request(pending);
        if (reply.error) {
            const own = fields.get(reply.error.field) ?? null;
            if (own?.fail) {
                own.fail(reply.error);
                figure.classList.add("wb-lab-before");
            } else {
                note.textContent = `${reply.error.message}.`;
                fields.forEach((other) => { if (!other.fail) other.show(state, shown); });
            }
            lab.status(section, reply.error.message);
            pending = null;
            return;
        }
        pending = null;
        figure.classList.remove("wb-lab-before");
        draw(reply);
        lab.status(section, reply.status);
        lab.url.set(id, reply.link);
    };
    /** A try of a control: what is set already, or `values`, which are then drawn once with the tries. */
    const tried = (name, values = null) => {
        if (level !== null) attempts += 1;
        if (name !== axis) { if (level !== null || values) set(values ?? {}); return; }
        const own = values?.[axis] ?? state[axis];
        tries = [...tries.filter((other) => other !== own), own].slice(-KEPT);
        keep({ tries });
        set(values ?? {});
    };

    // --- The guess before the first touch ----------------------------------------------------------------------------------
    const unlock = () => {
        panel.disabled = false;
        if (shown) mark();
    };
    const drawGuess = () => {
        if (!ask) return;
        if (kept.guess === undefined) return;
        guess.replaceChildren();
        const there = Object.entries(ask.set).every(([name, value]) => state[name] === value);
        const own = typeof kept.guess === "number" ? `You guessed ${kept.guess}` : "You made no guess";
        guess.append(make("p", { class: "wb-lab-note" }, there
            ? `${own}; it is ${ask.value}.`
            : `${own}. ${ask.say ?? "Try it out, and see."}`));
    };
    const askGuess = () => {
        panel.disabled = true;
        const input = make("input", { type: "number", min: "0", step: "1", inputmode: "numeric", id: `${id}-guess`, autocomplete: "off" });
        const done = (value) => {
            keep({ guess: value, when: new Date().toISOString() });
            unlock();
            set({});
            panel.querySelector("input, select, button")?.focus();
        };
        const form = make("form", { class: "wb-lab-ask" }, make("label", { for: `${id}-guess` }, "Your guess"), input,
            make("button", { type: "submit" }, "I have a guess"), button("Without a guess", () => done("none")));
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (input.value !== "" && Number.isInteger(input.valueAsNumber)) done(input.valueAsNumber);
        });
        guess.replaceChildren(form);
    };

    // --- Challenges ----------------------------------------------------------------------------------------------------------
    const drawTask = (reply) => {
        if (!config.levels?.length) return;
        if (level === null) {
            task.replaceChildren(button("Back to the challenge", () => begin(0)));
            return;
        }
        const own = config.levels[level];
        const counted = attempts === 0 ? "" : ` ${attempts} ${attempts === 1 ? "try" : "tries"}.`;
        const lines = [make("p", {}, make("b", {}, `Challenge ${level + 1} of ${config.levels.length}. `), own.say),
            make("p", { class: "wb-lab-note", "aria-live": "polite" }, `${reply.met.says}${counted}`)];
        const focus = document.activeElement;
        const word = task.contains(focus) ? focus.textContent : null;
        task.replaceChildren(...lines);
        task.classList.toggle("wb-lab-solved", reply.met.solved);
        if (reply.met.solved && level + 1 < config.levels.length) task.append(button("Next challenge", () => begin(level + 1)));
        task.append(button("Explore freely", () => { level = null; only(null); set({}); }));
        if (word) [...task.querySelectorAll("button")].find((other) => other.textContent === word)?.focus();
    };
    /** Leaves one control to the reader, or all. */
    const only = (free) => {
        for (const [name, { box }] of fields) {
            box.querySelectorAll("input, select, button").forEach((node) => { node.disabled = free !== null && name !== free; });
        }
    };
    const begin = (number) => {
        level = number;
        attempts = 0;
        only(config.levels[level].free);
        set({ ...config.levels[level].start });
    };

    // --- Everything together ---------------------------------------------------------------------------------------------------
    const reset = () => {
        selected = null;
        if (level !== null) begin(level);
        else set({ ...initial });
    };
    const copy = async () => {
        const text = lab.url.link(id, shown.link);
        try {
            await navigator.clipboard.writeText(text);
            note.textContent = "The link is copied.";
        } catch {
            // Where a page may not copy, the address itself is the link.
            history.replaceState(history.state, "", text);
            note.textContent = "The link stands in the address.";
        }
    };
    const primary = config.show[0];
    const main = make("div", { class: "wb-lab-main" }, ...config.show.map(field));
    const rest = config.more.map(field);
    panel.append(main);
    if (rest.length > 0) panel.append(make("details", { class: "wb-lab-more" }, make("summary", {}, "more"), ...rest));
    const tools = make("div", { class: "wb-lab-tools" }, button("Copy link", copy), button("Reset", reset));

    const start = lab.url.get(id);
    let reply = Object.keys(start).length > 0 ? request(initial, start) : request(initial);
    const misled = reply.error ? `The link does not fit this figure: ${reply.error.message}.` : null;
    if (misled) reply = request(initial);
    if (reply.error) throw new Error(reply.error.message);
    // From here on nothing fails: the page's own figure stays until there is another.
    figure.querySelectorAll(".wb-cue").forEach((cue) => cue.remove());
    const old = figure.querySelector(".wb-scroll");
    old.replaceWith(picture);
    picture.append(old);
    const question = section.querySelector("p.wb-lab-question");
    (question ?? section.querySelector("p.wb-lab-title")).after(task, guess, panel, note, headline);
    // A challenge is told where it is counted.
    if (config.levels?.length > 0) question?.remove();
    picture.after(lens);
    table.after(tools);
    if (axis) figure.after(curve, triesLine);
    draw(reply);
    if (config.levels?.length) only(level === null ? null : config.levels[level].free);
    if (ask && kept.guess === undefined && Object.keys(start).length === 0) askGuess();
    if (misled) {
        note.textContent = misled;
        lab.status(section, misled);
    }
    mark();
    lab.url.watch(id, (values) => {
        const next = request(initial, values);
        if (next.error) {
            note.textContent = `The link does not fit this figure: ${next.error.message}.`;
            lab.status(section, note.textContent);
            return;
        }
        unlock();
        draw(next);
        lab.status(section, next.status);
    });

    // --- Touch and keys in the figure -------------------------------------------------------------------------------------------
    const at = (event) => {
        const svg = picture.querySelector("svg");
        const box = svg.getBoundingClientRect();
        const view = svg.viewBox.baseVal;
        const x = view.x + (event.clientX - box.left) / box.width * view.width;
        const y = view.y + (event.clientY - box.top) / box.height * view.height;
        let best = null;
        for (const cell of shown.cells) {
            const away = Math.hypot(x - cell.x - cell.width / 2, y - cell.y - cell.height / 2);
            if (best === null || away < best.away) best = { cell, away };
        }
        return best?.cell ?? null;
    };
    const first = (cell) => LANES ? 31 - Math.clz32(cell.lanes & -cell.lanes) : cell.lanes;
    const pick = (event) => {
        const cell = at(event);
        if (cell) select(first(cell));
    };
    picture.addEventListener("pointerdown", (event) => {
        pick(event);
        picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointermove", (event) => {
        if (picture.hasPointerCapture(event.pointerId)) pick(event);
    });
    /** The nearest square in a direction; of those equally far, the one most in line. */
    const towards = (dx, dy) => {
        if (shown.cells.length === 0) return;
        const from = selected === null ? null : cellsOf(selected)[0];
        if (!from) {
            select(first(shown.cells[0]));
            return;
        }
        let best = null;
        for (const cell of shown.cells) {
            const [x, y] = [cell.x - from.x, cell.y - from.y];
            const along = x * dx + y * dy;
            const across = Math.abs(x * dy) + Math.abs(y * dx);
            if (along <= 0) continue;
            // First in line, then what is beside the line.
            const away = dx !== 0 ? along + 3 * across : along + 50 * across;
            if (best === null || away < best.away) best = { cell, away };
        }
        if (best) select(first(best.cell));
    };
    picture.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (way) towards(...way);
        else if (event.key === " ") toggle();
        else return;
        event.preventDefault();
    });
    const turn = (by) => { if (!panel.disabled) fields.get(level === null ? primary : config.levels[level].free)?.step?.(by); };
    return {
        keys: [
            ["+", `${NAMES[primary]}: one step up`, () => turn(1)],
            ["-", `${NAMES[primary]}: one step down`, () => turn(-1)],
            ["r", "reset", reset],
            ["l", "copy a link to this state", copy],
            ["t", "show and hide the table", () => { table.open = !table.open; }],
        ],
        help: [["← → ↑ ↓", "in the figure: select"], ["Space", "in the figure: switch the selected lane on or off"]],
    };
});
