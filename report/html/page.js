"use strict";
// Search and sort for the tables, and the treemap's cells as a way into them. The
// page says everything without it.
(() => {
  const text = (row) => row.cells[0].textContent.toLowerCase().replaceAll("\\", "/");

  for (const section of document.querySelectorAll(".rows")) {
    const body = section.querySelector("tbody");
    const rows = Array.from(body.rows);
    const input = section.querySelector("input");
    const hits = section.querySelector(".hits");
    const names = rows.map(text);
    const nameOf = new Map(rows.map((row, i) => [row, names[i]]));

    const search = () => {
      const words = input.value.toLowerCase().replaceAll("\\", "/").split(/\s+/).filter(Boolean);
      let n = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => names[i].includes(word));
        if (!row.hidden) n++;
      });
      hits.textContent = words.length ? `${n} of ${rows.length} shown` : "";
    };
    input.addEventListener("input", search);
    section.addEventListener("find", (event) => {
      input.value = event.detail;
      search();
      section.querySelector(".scroll").scrollTop = 0;
    });
    section.querySelector(".search").hidden = false;

    const heads = Array.from(section.querySelectorAll("th[data-sort]"));
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      const number = head.dataset.sort === "number";
      const key = (row) => number ? Number(row.cells[column].dataset.value) : nameOf.get(row);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const up = before ? before === "descending" : !number;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const keyed = rows.map((row) => [key(row), row]);
        keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
        body.append(...keyed.map(([, row]) => row));
      });
    });
  }

  for (const figure of document.querySelectorAll(".treemap")) {
    const chosen = figure.querySelector(".chosen");
    const sections = Array.from(figure.parentElement.querySelectorAll(".rows"));
    const table = sections[sections.length - 1];
    figure.addEventListener("click", (event) => {
      const cell = event.target.closest("g");
      if (!cell) return;
      for (const other of figure.querySelectorAll(".picked")) other.classList.remove("picked");
      cell.classList.add("picked");
      chosen.hidden = false;
      chosen.textContent = cell.querySelector("title").textContent;
      const path = cell.dataset.path;
      if (!table || !path) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Show in the table";
      button.addEventListener("click", () => {
        table.dispatchEvent(new CustomEvent("find", { detail: path }));
        table.scrollIntoView();
        table.querySelector("input").focus({ preventScroll: true });
      });
      chosen.append(button);
    });
  }

  // A link to a subject opens it.
  const open = () => {
    const target = location.hash.startsWith("#subject-") && document.getElementById(location.hash.slice(1));
    if (target) target.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
