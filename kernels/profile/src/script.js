"use strict";
// Without this script the page has the same numbers: it only marks lines, changes colours and looks occupancy up.
{
  const rows = (key) => document.querySelectorAll(`tr[data-at="${CSS.escape(key)}"]`);
  // Shows a row within its own box, and leaves the page where it is.
  const show = (row) => {
    const box = row.closest(".scroll");
    if (!box) return;
    const at = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (at < 40 || at > box.clientHeight - 24) box.scrollTop += at - box.clientHeight / 3;
  };
  const select = (key, from) => {
    for (const row of document.querySelectorAll("tr.on")) row.classList.remove("on");
    const boxes = new Set(from ? [from.closest(".scroll")] : []);
    for (const row of rows(key)) {
      row.classList.add("on");
      const box = row.closest(".scroll");
      if (!boxes.has(box)) {
        boxes.add(box);
        show(row);
      }
    }
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    const row = event.target.closest("tr[data-at]");
    if (link && !link.closest("table.code")) {
      select(link.dataset.go);
    } else if (row) {
      if (link) event.preventDefault();
      select(row.dataset.at, row);
    }
  });

  for (const choice of document.querySelectorAll("select[data-heat-of]")) {
    choice.disabled = false;
    choice.addEventListener("change", () => {
      for (const row of document.getElementById(choice.dataset.heatOf).querySelectorAll("tr[data-heat]")) {
        row.style.setProperty("--h", row.dataset.heat.split(" ")[choice.value]);
      }
    });
  }

  // The first step whose end is not below the input; behind the last no block fits.
  const look = (steps, input) => steps.find((step) => input <= step.to);
  for (const form of document.querySelectorAll("form[data-tables]")) {
    const tables = JSON.parse(document.getElementById(form.dataset.tables).textContent);
    const number = (name) => (form.elements[name].value === "" ? null : Number(form.elements[name].value));
    const output = form.querySelector("output");
    const update = () => {
      const [threads, registers, shared] = ["threads", "registers", "shared"].map(number);
      const size = look(tables.sizes, threads ?? 0);
      const at = (steps, input) => (input === null ? null : (look(steps, input) ?? { blocks: 0 }).blocks);
      const by = [
        size ? size.blocks : 0,
        tables.blocks,
        size ? at(size.registers, registers) : null,
        at(tables.shared, shared ?? 0),
      ];
      let limit = 1;
      by.forEach((blocks, index) => {
        if (blocks !== null && (blocks < by[limit] || (blocks === by[limit] && index < limit))) limit = index;
      });
      const warps = by[limit] * (size ? size.warps : 0);
      const percent = ((warps / tables.warps) * 100).toFixed(1);
      output.textContent =
        `${by[limit]} blocks, ${warps} of ${tables.warps} warps: ${percent} %, limited by ${tables.limits[limit]}`;
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    update();
  }
}
