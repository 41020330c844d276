// What the page does when it is opened, printed or switched to the dark.

let data = null;
const hold = document.createElement("iframe"); // delays the load event until charts are drawn, e.g. for screenshots
hold.hidden = true;
document.body.append(hold);
hold.contentDocument?.open(); // none where a viewer shows the page without an origin

start()
  .catch((error) =>
    document
      .querySelector("main")
      .prepend(`Charts and samples cannot be shown; the browser may be too old: ${error}`),
  )
  .finally(() => hold.remove());

async function start() {
  document.documentElement.classList.add("js");
  const roots = [...document.querySelectorAll(".part")];
  const parts = roots.map((root) => ({ root, hidden: new Set() }));
  parts.forEach(tabs);
  document.querySelectorAll(".sortable").forEach(sortable);
  document.querySelectorAll(".baseline select").forEach(showDifferencesToChoice);
  data = JSON.parse(await unpack("data"));
  const viewer = data.viewer; // linked once it answers
  data.viewer = null;
  parts.forEach((part, number) => {
    part.data = data.benchmarks[number];
    part.reader = reader(part, document.getElementById(`reader-${number}`));
    for (const button of part.root.querySelectorAll(".systems button")) {
      button.addEventListener("click", () => toggle(part, button));
    }
  });
  if (document.getElementById("vega").textContent) {
    const script = document.createElement("script");
    script.textContent = await unpack("vega");
    document.head.append(script);
  }
  if (viewer) linkViewer(viewer, parts);
  scheme.addEventListener("change", () => redraw(parts));
  unfoldOnPaper();
  await redraw(parts);
  setTimeout(() => redraw(parts, true), 1000); // those of other tabs, for paper, when the first screen has come to rest
  document.documentElement.dataset.ready = "yes";
}

/** Show the differences to the system that is chosen as baseline. */
function showDifferencesToChoice(choice) {
  choice.addEventListener("change", () => {
    for (const gap of choice.closest(".hero").querySelectorAll(".gap")) {
      gap.hidden = gap.dataset.base !== choice.value;
    }
  });
}

/** Link samples to `inspect view` if it runs. */
function linkViewer(viewer, parts) {
  const link = () => {
    data.viewer = viewer;
    parts.forEach((part) => part.reader());
  };
  fetch(viewer, { mode: "no-cors", cache: "no-store" }).then(link, () => {});
}

/** Draw the charts of the open tabs, or of every tab, if they can be drawn. */
function redraw(parts, every = false) {
  return window.vegaEmbed && Promise.all(parts.map((part) => draw(part, every)));
}

/** Open closed folds while the page is printed. */
function unfoldOnPaper() {
  let folds = [];
  const setOpen = (isOpen) => {
    for (const fold of folds) fold.open = isOpen;
  };
  addEventListener("beforeprint", () => {
    folds = [...document.querySelectorAll("details:not([open])")];
    setOpen(true);
  });
  addEventListener("afterprint", () => setOpen(false));
}
