// The controls of an access explorer: numbers with a slider, choices, and a formula of the lane. What they may be is said by the module
// `access`, and so is what is wrong with them.
"use strict";

window.wbExplorerFields = (() => {
    const { make } = window.wbLab;
    const button = (text, press, attributes = {}) => make("button", { type: "button", onclick: press, ...attributes }, text);

    /**
     * Controls for what `config` lets readers set. `set(values)` asks for these values, `tried(name)` says that one was tried. A control in
     * `fields` shows a state and the module's reply to it; the formula also shows what is wrong with it.
     */
    const controls = ({ id, config, set, tried }) => {
        const initial = config.state;
        const NAMES = {
            stride: initial.mode === "sectors" || initial.mode === "atomics" ? "words apart" : "stride in words",
            offset: initial.mode === "sectors" ? "first byte" : "first word", width: "bytes per lane",
            swizzle: "layout", every: "words between padding", target: "GPU", kind: "instruction", words: "different words",
            active: "lanes", formula: "formula", warp: "number of the warp", space: "memory", x: "block, x", y: "block, y",
            threads: "threads per block", registers: "registers per thread", shared: "shared memory per block, KiB",
        };
        const CHOICES = {
            width: [[4, "4 bytes"], [8, "8 bytes"], [16, "16 bytes"]],
            swizzle: [["none", "as it is"], ["xor", "XOR with the row"], ["pad", "padding"]],
            kind: initial.mode === "atomics"
                ? [["add", "add a number"], ["increment", "add 1, no result"], ["compare-and-swap", "compare and swap"]]
                : [["load", "load"], ["store", "store"]],
            space: [["shared", "shared"], ["global", "global"]],
            active: [[4294967295, "all 32"], [65535, "the first 16"], [255, "the first 8"], [1, "only lane 0"],
                [1431655765, "even ones"], [2863311530, "odd ones"], [286331153, "every fourth"]],
            target: config.targets ?? [["h200", "H200"]],
        };
        const fields = new Map();
        const fieldId = (name) => `${id}-${name}`;
        /** A number with a slider and two buttons, as the range of the module allows. */
        const slider = (name) => {
            const input = make("input", { type: "range", id: fieldId(name), oninput: () => set({ [name]: input.valueAsNumber }) });
            input.addEventListener("change", () => tried(name));
            const value = make("output", { for: fieldId(name) });
            const step = (by) => {
                const before = input.value;
                if (by > 0) input.stepUp(); else input.stepDown();
                if (input.value === before) return;
                tried(name, { [name]: input.valueAsNumber });
            };
            const box = make("div", { class: "wb-lab-field wb-lab-slider" },
                make("label", { for: fieldId(name) }, NAMES[name]),
                button("−", () => step(-1), { "aria-label": `${NAMES[name]}: less` }), input,
                button("+", () => step(1), { "aria-label": `${NAMES[name]}: more` }), value);
            fields.set(name, {
                box, step,
                show(state, reply) {
                    const range = reply.ranges.find((own) => own.name === name);
                    if (range) Object.assign(input, { min: range.least, max: range.most, step: range.step });
                    input.value = state[name];
                    value.textContent = state[name];
                    input.setAttribute("aria-valuetext", reply.cost === null ? `${state[name]}` : `${state[name]}: ${reply.cost} ${reply.unit}`);
                },
            });
            return box;
        };
        const choice = (name) => {
            const select = make("select", { id: fieldId(name) },
                ...CHOICES[name].map(([value, text]) => make("option", { value }, text)));
            const other = make("option", { value: "other", hidden: true }, "own choice");
            select.append(other);
            select.addEventListener("change", () => {
                const found = CHOICES[name].find(([value]) => String(value) === select.value);
                if (found) set({ [name]: found[0] });
            });
            const box = make("div", { class: "wb-lab-field" }, make("label", { for: fieldId(name) }, NAMES[name]), select);
            fields.set(name, {
                box,
                show(state) {
                    const known = CHOICES[name].some(([value]) => value === state[name]);
                    other.hidden = known;
                    select.value = known ? String(state[name]) : "other";
                },
            });
            return box;
        };
        const formula = () => {
            const input = make("input", {
                type: "text", id: fieldId("formula"), autocomplete: "off", autocapitalize: "off", spellcheck: "false",
                "aria-describedby": `${id}-wrong ${id}-how`,
            });
            const wrong = make("p", { class: "wb-lab-wrong", id: `${id}-wrong`, "aria-live": "polite" });
            const enter = () => set({ formula: input.value.trim() === "" ? null : input.value });
            input.addEventListener("input", enter);
            const unit = initial.mode === "sectors" || initial.space === "global" ? "byte" : "word";
            const says = initial.mode === "ballot" ? "a lane whose value is odd votes yes"
                : `the ${unit} of a lane; a lane whose value is negative takes no part`;
            const box = make("div", { class: "wb-lab-field wb-lab-formula" },
                make("label", { for: fieldId("formula") }, `${NAMES.formula} of lane`), input, wrong,
                make("p", { class: "wb-lab-note", id: `${id}-how` },
                    `Such as lane * 3 or lane ^ lane >> 3: ${says}. + - * / % << >> & | ^ ( ) and the names lane and warp; / is that of whole numbers in CUDA.`));
            fields.set("formula", {
                box,
                show(state, reply) {
                    wrong.textContent = "";
                    input.removeAttribute("aria-invalid");
                    if (document.activeElement !== input) input.value = state.formula ?? "";
                    input.placeholder = reply.formula;
                },
                fail(fault) {
                    input.setAttribute("aria-invalid", "true");
                    const text = input.value;
                    wrong.textContent = "";
                    if (fault.at) {
                        // The places are bytes of the text.
                        const bytes = new TextEncoder().encode(text);
                        const part = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
                        const [from, to] = fault.at;
                        const mark = make("mark", {}, part(from, to) || "\u2038");
                        wrong.append(make("code", {}, part(0, from), mark, part(Math.max(from, to))), " ");
                    }
                    wrong.append(`${fault.message}.`);
                },
            });
            return box;
        };
        const field = (name) => name === "formula" ? formula() : CHOICES[name] ? choice(name) : slider(name);
        return { NAMES, fields, field };
    };

    return { button, controls };
})();
