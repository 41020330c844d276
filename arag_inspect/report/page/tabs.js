// Tabs, and tables that are sorted by their columns.

function tabs(part) {
  const buttons = [...part.root.querySelectorAll("[role=tab]")];
  const panel = (button) => document.getElementById(button.getAttribute("aria-controls"));
  part.open = (button) => {
    for (const one of buttons) {
      one.setAttribute("aria-selected", String(one === button));
      one.tabIndex = one === button ? 0 : -1;
      panel(one).classList.toggle("open", one === button);
    }
    if (window.vegaEmbed) draw(part);
  };
  const move = (button) => {
    part.open(button);
    button.focus();
    history.replaceState(null, "", button.id.replace("tab-", "#"));
  }; // of no element: nothing scrolls
  buttons.forEach((button, place) => {
    button.addEventListener("click", () => move(button));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) move(buttons[(place + step + buttons.length) % buttons.length]);
    });
  });
  const follow = () => {
    // `#samples` means every part, `#0-samples` the first
    const linked = buttons.find((button) => button.id.endsWith(location.hash.replace("#", "-")));
    if (linked) part.open(linked);
  };
  part.open(buttons[0]);
  follow();
  addEventListener("hashchange", follow);
}

function sortable(table) {
  table.querySelectorAll("thead th").forEach((head, column) =>
    head.firstElementChild.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) =>
        row.cells[column].dataset.value ? Number(row.cells[column].dataset.value) : null;
      const rows = [...table.tBodies[0].rows].sort((one, other) => {
        const [a, b] = [key(one), key(other)];
        if (a === null && b === null)
          return (
            (up ? 1 : -1) *
            one.cells[column].textContent.localeCompare(other.cells[column].textContent)
          );
        return a === null ? 1 : b === null ? -1 : (up ? 1 : -1) * (a - b);
      });
      table.tBodies[0].append(...rows);
    }),
  );
}
