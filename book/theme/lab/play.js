// Figures that play: drawings of rounds, one after the other. They were made with the book, from the events of a run; here one of
// them is shown, and the next when its time has come. Where a reader changes the data, `play-change.js` has the same code draw
// them anew.
"use strict";

(() => {
    const { make } = window.wbLab;
    /** Milliseconds of a round. */
    const SPEEDS = [["slow", 3000], ["normal", 1500], ["fast", 600]];

    const mount = async (section, { frames, said, key, change }, lab) => {
        const id = section.id;
        let last = frames.length - 1;
        const stage = section.querySelector(".wb-play-stage");
        const line = section.querySelector(".wb-play-said");
        const still = matchMedia("(prefers-reduced-motion: reduce)");
        let now = key;
        let timer = 0;

        const slider = make("input", { type: "range", min: 0, max: last, step: 1, "aria-label": "Round", oninput: () => { pause(); show(Number(slider.value)); } });
        const place = make("span", { class: "wb-play-place" });
        const button = (text, name, work) => make("button", { type: "button", "aria-label": name, onclick: work }, text);
        const first = button("|◀", "To the beginning", () => { pause(); show(0); });
        const back = button("◀", "A round back", () => { pause(); show(now - 1); });
        const toggle = make("button", { type: "button", class: "wb-play-toggle", onclick: () => (timer ? pause() : play()) }, "Play");
        const next = button("▶", "A round on", () => { pause(); show(now + 1); });
        const speed = make("select", { "aria-label": "Speed" }, ...SPEEDS.map(([name, time]) => make("option", { value: time, selected: name === "normal" }, name)));
        speed.addEventListener("change", () => {
            lab.store.set("play.speed", speed.value);
            if (timer) { pause(); play(false); }
        });
        const kept = String(lab.store.get("play.speed"));
        if (SPEEDS.some(([, time]) => String(time) === kept)) speed.value = kept;
        const bar = make("div", { class: "wb-play-bar" },
            make("div", { class: "wb-play-row" }, first, back, toggle, next, make("label", { class: "wb-play-speed" }, "speed ", speed)),
            make("div", { class: "wb-play-row" }, slider, place));
        section.querySelector(".wb-lab-title").after(bar);
        // Drawings are as high as each other; sentences are not, and what is below them stays in its place.
        const reserve = () => {
            const own = line.textContent;
            line.style.minHeight = "";
            let most = 0;
            for (const text of said) {
                line.textContent = text;
                most = Math.max(most, line.getBoundingClientRect().height);
            }
            line.textContent = own;
            line.style.minHeight = `${Math.ceil(most)}px`;
        };

        let changing = null;
        const remember = () => lab.url.set(id, { ...(now === key ? {} : { round: now }), ...changing?.values() });

        const show = (round, { speak = true, write = true } = {}) => {
            now = Math.min(Math.max(round, 0), last);
            const box = stage.querySelector(".wb-scroll");
            const at = box ? box.scrollLeft : 0;
            const focused = box && box === document.activeElement;
            // The frame of the drawing stays, with its focus and where it is scrolled to.
            const made = make("div");
            made.innerHTML = frames[now];
            const svg = made.querySelector("svg");
            if (box) box.replaceChildren(svg);
            else stage.replaceChildren(...made.childNodes);
            if (box) box.scrollLeft = at;
            if (focused) box.focus({ preventScroll: true });
            stage.classList.toggle("wb-play-moves", timer !== 0 && !still.matches);
            line.textContent = said[now];
            slider.value = now;
            slider.setAttribute("aria-valuetext", now === 0 ? "the beginning" : `round ${now} of ${last}`);
            place.textContent = now === 0 ? `beginning of ${last} rounds` : `round ${now} of ${last}`;
            // A button that is disabled would lose the focus, and the widget its keys.
            for (const [own, ends] of [[first, now === 0], [back, now === 0], [next, now === last]]) own.setAttribute("aria-disabled", ends);
            // What is played is not spoken: it would never come to an end.
            if (speak && !timer) lab.status(section, said[now]);
            if (write && !timer) remember();
        };

        const pause = () => {
            if (!timer) return;
            clearInterval(timer);
            timer = 0;
            toggle.textContent = "Play";
            delete section.dataset.playing;
            stage.classList.remove("wb-play-moves");
            lab.status(section, said[now]);
            remember();
        };
        const beat = () => {
            if (now === last) return pause();
            show(now + 1);
            if (now === last) pause();
        };
        const play = (again = true) => {
            if (timer) return;
            toggle.textContent = "Pause";
            section.dataset.playing = "";
            // Where motion is not wanted, a round stays as long as a sentence takes to be read.
            timer = setInterval(beat, still.matches ? Math.max(2000, Number(speed.value)) : Number(speed.value));
            if (again && now === last) show(0);
        };
        // Nothing plays that nobody sees.
        new IntersectionObserver(([entry]) => { if (!entry.isIntersecting) pause(); }).observe(section);
        document.addEventListener("visibilitychange", () => { if (document.hidden) pause(); });
        window.addEventListener("beforeprint", pause);

        const wanted = (round) => {
            const number = Number(round);
            return round !== undefined && Number.isInteger(number) && number >= 0 && number <= last ? number : key;
        };
        const restore = async (values) => {
            await changing?.restore(values);
            show(wanted(values.round), { speak: false, write: false });
        };
        /** Other drawings, of other data. */
        const replace = (drawn) => {
            pause();
            ({ frames, said, key } = drawn);
            last = frames.length - 1;
            slider.max = last;
            section.querySelector(".wb-play-all ol").replaceChildren(...said.map((text) => make("li", {}, text)));
            stage.querySelector(".wb-scroll")?.removeAttribute("style");
            reserve();
            show(key);
        };
        if (change) {
            await lab.load("play-change.js");
            changing = window.wbPlayChange.controls({ section, lab, change, first: { frames, said, key }, replace, remember });
            section.querySelector(".wb-lab-title").after(changing.bar);
        }
        show(key, { speak: false, write: false });
        // What has to be computed first is shown when it is there.
        restore(lab.url.get(id));
        lab.url.watch(id, (values) => { pause(); restore(values); });
        reserve();
        let width = section.clientWidth;
        new ResizeObserver(() => {
            if (section.clientWidth === width) return;
            width = section.clientWidth;
            reserve();
        }).observe(section);

        const to = (round) => () => { pause(); show(round()); };
        const held = (work) => (event) => {
            // On a control, Space presses it and arrows move it.
            if (event.target.closest("button, summary") && event.key === " ") { event.target.closest("button, summary").click(); return; }
            work();
        };
        return {
            keys: [
                [" ", "play and pause", held(() => (timer ? pause() : play()))],
                [".", "a round on", to(() => now + 1)], [",", "a round back", to(() => now - 1)],
                ["Home", "to the beginning", to(() => 0)], ["End", "to the last round", to(() => last)],
                ["r", "back to the round that the page shows first", to(() => key)],
            ],
            help: [["arrows", "on the slider: a round on or back"]],
        };
    };

    window.wbLab.register("play", mount);
})();
