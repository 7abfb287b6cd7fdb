// What a reader has done in the pages of exercises, and the file of it that the command line reads.
"use strict";

(() => {
    const FILE = "warpbook-progress.txt";

    const mount = (section, _state, lab) => {
        const told = lab.make("p");
        const button = lab.make("button", { type: "button" }, "Export");
        section.append(told, button);
        const known = () => (lab.store.get("exercises") ?? []).map((name) => lab.store.get(`exercise:${name}`) ?? {});
        const lines = () => known().map((own) => own.progress ?? "").join("");
        const show = () => {
            const done = (lines().match(/^done /gm) ?? []).length;
            const begun = known().length - done;
            told.textContent = `${done} exercise${done === 1 ? "" : "s"} done, ${begun} begun.`;
            button.setAttribute("aria-disabled", String(lines() === ""));
        };
        button.addEventListener("click", () => {
            if (lines() === "") {
                lab.status(section, "Nothing is judged yet.");
                return;
            }
            const link = lab.make("a", { href: URL.createObjectURL(new Blob([lines()], { type: "text/plain" })), download: FILE });
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
            lab.status(section, `Written: ${FILE}`);
        });
        window.addEventListener("wb-progress", show);
        show();
    };

    window.wbLab.register("progress", mount);
})();
