// What a reader changes of a figure that plays: numbers, and the elements of one buffer. The module `rounds` runs the launches
// and draws them in a worker of its own; it is the code that drew the figure when the book was built.
"use strict";

(() => {
    const { make } = window.wbLab;
    /** Milliseconds without a change after which it is run. */
    const QUIET = 300;
    /** The name of the number that is the order of threads. */
    const ORDER = "order";
    const PRINTED = "as printed";
    const OWN = "your own numbers";
    /** The number that makes other data of the same kind, and the most that it can be. */
    const SEED = "seed";
    const MOST_SEEDS = 99;
    let worker = null;

    const controls = ({ section, lab, change, first, replace, remember }) => {
        const { request, numbers, data } = change;
        const id = section.id;
        const kind = Object.keys(request.what)[0];
        const buffer = data && request.what[kind].buffers.find((own) => own.name === data.buffer);
        const printed = buffer?.content.values.join(" ") ?? "";
        const defaults = Object.fromEntries(numbers.map((knob) => [`n-${knob.name}`, String(knob.value)]));
        if (data) Object.assign(defaults, { data: PRINTED, own: printed, seed: "1" });
        const choices = new Map([[PRINTED, null], ...(data?.choices ?? []), [OWN, null]]);
        let now = { ...defaults };
        let timer = 0;
        let asked = 0;

        // --- Controls --------------------------------------------------------------------------------------------------
        const bar = make("fieldset", { class: "wb-lab-controls wb-play-change" }, make("legend", { class: "wb-hidden" }, "Change the figure"));
        const fields = new Map();
        const field = (key, label, control, ...more) => {
            control.id = `${id}-${key}`;
            fields.set(key, control);
            const line = make("div", { class: "wb-lab-field wb-lab-slider" }, make("label", { for: control.id }, label), control, ...more);
            bar.append(line);
            return line;
        };
        const slide = (key, label, range) => {
            const shown = make("output", { for: `${id}-${key}` });
            const slider = make("input", { type: "range", ...range, oninput: () => { shown.textContent = slider.value; changed(key, slider.value); } });
            slider.shown = shown;
            return field(key, label, slider, shown);
        };
        for (const { name, from, to, step } of numbers) {
            slide(`n-${name}`, name === ORDER ? "order of threads" : name.replaceAll("_", " "), { min: from, max: to, step });
        }
        /** The lines that belong to some data alone. */
        let ownLine = null;
        let seedLine = null;
        if (data) {
            const select = make("select", { onchange: () => changed("data", select.value) }, ...[...choices.keys()].map((name) => make("option", { value: name }, name)));
            field("data", "data", select);
            const text = make("input", { type: "text", inputmode: "numeric", autocomplete: "off", spellcheck: "false", oninput: () => changed("own", text.value) });
            ownLine = field("own", "numbers", text);
            ownLine.classList.add("wb-lab-formula");
            seedLine = slide("seed", "seed", { min: 1, max: MOST_SEEDS, step: 1 });
        }
        const wrong = make("p", { class: "wb-lab-wrong", role: "alert" });
        const note = make("p", { class: "wb-lab-note wb-play-note" });
        bar.append(wrong, note);

        const seeded = () => new RegExp(`\\b${SEED}\\b`).test(choices.get(now.data)?.generate ?? "");
        /** Shows the lines that belong to the data. */
        const sort = () => {
            if (!data) return;
            ownLine.hidden = now.data !== OWN;
            seedLine.hidden = !seeded();
        };
        const paint = () => {
            for (const [key, control] of fields) {
                if (control.value !== now[key]) control.value = now[key];
                if (control.shown) control.shown.textContent = now[key];
            }
            sort();
        };
        const changed = (key, value) => {
            now[key] = value;
            sort();
            clearTimeout(timer);
            timer = setTimeout(run, QUIET);
        };
        const values = () => Object.fromEntries(Object.entries(now).filter(([key, value]) => value !== defaults[key]
            && (key !== "own" || now.data === OWN) && (key !== "seed" || seeded())));

        // --- Running ---------------------------------------------------------------------------------------------------
        /** The content of the buffer; throws where it is none. */
        const content = () => {
            if (now.data !== OWN) return choices.get(now.data) ?? buffer.content;
            const parts = now.own.split(/[\s,;]+/).filter(Boolean);
            const bad = parts.find((part) => !/^-?\d+(\.\d+)?$/.test(part));
            if (bad !== undefined) throw new Error(`“${bad}” is no number`);
            return { values: parts.map(Number) };
        };
        const asRequest = () => {
            const what = structuredClone(request.what);
            const own = what[kind];
            for (const { name } of numbers) {
                if (name === ORDER) own.seed = Number(now[`n-${name}`]);
                else own.let[name] = Number(now[`n-${name}`]);
            }
            if (data) own.let[SEED] = Number(now.seed);
            if (data) own.buffers.find((held) => held.name === data.buffer).content = content();
            return { op: "play", ...request, what };
        };
        const run = async () => {
            clearTimeout(timer);
            const own = ++asked;
            wrong.textContent = "";
            remember();
            if (Object.keys(values()).length === 0) {
                note.textContent = "";
                delete section.dataset.stale;
                section.dataset.run = "done";
                return replace(first);
            }
            section.dataset.run = "running";
            section.dataset.stale = "yes";
            note.textContent = worker ? "running …" : "loading the simulator …";
            let answer;
            try {
                const question = asRequest();
                await lab.load("engine.js");
                worker ??= window.wbWorker("rounds");
                answer = await worker.ask(question, { told: () => { if (own === asked) note.textContent = "running …"; } });
            } catch (error) {
                answer = { error: { message: error.message } };
            }
            // A later change has been asked for meanwhile.
            if (own !== asked) return;
            note.textContent = "";
            if (answer.ok) {
                delete section.dataset.stale;
                section.dataset.run = "done";
                replace(answer.ok);
            } else {
                section.dataset.run = "error";
                wrong.textContent = `The drawing is still that of the change before: ${answer.error.message}.`;
            }
        };

        /** What an address says; nonsense is as if it said nothing. */
        const restore = async (said) => {
            const before = JSON.stringify(values());
            now = { ...defaults };
            for (const knob of numbers) {
                const value = Number(said[`n-${knob.name}`]);
                const fits = Number.isInteger(value) && value >= knob.from && value <= knob.to && (value - knob.from) % knob.step === 0;
                if (said[`n-${knob.name}`] !== undefined && fits) now[`n-${knob.name}`] = String(value);
            }
            if (data && choices.has(said.data)) now.data = said.data;
            if (data && said.own !== undefined) now.own = said.own;
            if (data && /^\d{1,2}$/.test(said.seed) && Number(said.seed) >= 1) now.seed = said.seed;
            paint();
            if (JSON.stringify(values()) !== before) await run();
        };
        paint();
        return { bar, values, restore };
    };

    window.wbPlayChange = { controls };
})();
