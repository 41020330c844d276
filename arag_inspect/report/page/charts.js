// Charts, drawn when their tab is open, without hidden systems.

const scheme = matchMedia("(prefers-color-scheme: dark)");

function toggle(part, button) {
  const place = Number(button.dataset.system);
  part.hidden[part.hidden.has(place) ? "delete" : "add"](place);
  button.setAttribute("aria-pressed", String(!part.hidden.has(place)));
  if (window.vegaEmbed) draw(part);
  part.reader();
}

function draw(part, every = false) {
  const gone = new Set([...part.hidden].map((place) => part.data.systems[place].name));
  const drawings = [];
  for (const place of part.root.querySelectorAll(every ? ".chart" : ".open .chart")) {
    const width = place.clientWidth || part.root.clientWidth;
    const state = `${[...gone]}|${width}|${scheme.matches}`;
    if (place.dataset.state === state) continue;
    place.dataset.state = state;
    const spec = fit(data.charts[place.id.slice("chart-".length)], gone, width);
    drawings.push(
      vegaEmbed(place, spec, {
        actions: { export: true, source: false, compiled: false, editor: false },
        downloadFileName: place.id.replace(/^chart-\d+-/, ""),
        theme: scheme.matches ? "dark" : undefined,
        config: {
          background: "transparent",
          axis: { gridColor: "#8884" },
          axisX: { tickCount: 6, labelOverlap: "greedy", labelSeparation: 6 },
        },
      })
        .then(({ view }) => {
          // the figure says in words what the drawing shows
          copying(place.closest("figure").querySelector(".copy"), view);
          place.querySelector("svg.marks")?.setAttribute("aria-hidden", "true");
          place
            .querySelector("summary")
            ?.setAttribute("aria-label", "Save this chart as SVG or PNG");
        })
        .catch((error) => place.append(String(error))),
    );
  }
  return Promise.all(drawings);
}

function copying(button, view) {
  button.hidden = !navigator.clipboard?.write;
  button.onclick = async () => {
    const canvas = await view.toCanvas(2);
    const picture = new Promise((done) => canvas.toBlob(done, "image/png"));
    const copied = navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    button.textContent = await copied.then(
      () => "Copied",
      () => "Not copied",
    );
  };
}

function lighter(color) {
  // mixed with white as the swatches of page.css, against a dark background; other values as they are
  if (!/^#[0-9a-f]{6}$/.test(color)) return color;
  return (
    "#" +
    color
      .match(/[0-9a-f]{2}/g)
      .map((channel) =>
        Math.round(0.7 * parseInt(channel, 16) + 76.5)
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")
  );
}

function fit(whole, gone, width) {
  // a copy without hidden systems, and as wide as its place
  const size = width < 600 ? 10 : 12; // of the text in pixels
  const names = []; // and ends of scales, which are short
  JSON.stringify(whole, (key, value) => {
    if (key === "domain") names.push(...value);
    return value;
  });
  const longest = Math.max(0, ...names.map((name) => 0.65 * size * String(name).length)); // in pixels
  const most = (share) => Math.min(320, Math.round(share * width));
  const columns = Math.max(1, Math.floor((0.7 * width) / (Math.min(longest, most(0.48)) + 30)));
  // the legend begins beside the labels of the axis, which take up to 0.38 of the width
  const brief = (name, share) => {
    // an expression: without the names of settings, then without its middle
    const bare = longest > most(share) ? `replace(${name}, regexp("[\\\\w.]+=", "g"), "")` : name;
    return `truncate(${bare}, ${Math.floor(most(share) / (0.6 * size))}, "center")`;
  };
  const spec = JSON.parse(JSON.stringify(whole), (key, value) => {
    if (key === "values" && Array.isArray(value))
      return value.filter((row) => !gone.has(row.system));
    if (key === "range" && scheme.matches) return value.map(lighter);
    if (value?.field !== "system") return value;
    return key === "color" && value.legend !== null
      ? { ...value, legend: { labelExpr: brief("datum.label", 0.48) } }
      : value;
  });
  Object.assign(spec.config.legend, { labelFontSize: size, titleFontSize: size });
  Object.assign(spec.config.axis, { labelFontSize: size, titleFontSize: size });
  Object.assign(spec.config.header, { labelFontSize: size });
  spec.config.axisY = { labelLimit: most(0.38), labelExpr: brief("datum.label", 0.38) };
  const layout = { top: { direction: width < 600 ? "vertical" : "horizontal" } };
  Object.assign(spec.config.legend, {
    columns,
    labelLimit: most(0.48),
    titleLimit: 0.47 * width,
    layout,
  });
  if (spec.facet) {
    const columns = Math.max(1, Math.min(spec.columns, Math.floor(width / 300)));
    const room = Math.max(130, 40 + Math.min(longest, most(0.38)));
    return {
      ...spec,
      columns,
      spec: { ...spec.spec, width: Math.max(140, (width - room) / columns - 20) },
    };
  }
  return typeof spec.width === "number"
    ? {
        ...spec,
        width: Math.max(200, width - 40),
        autosize: { type: "fit-x", contains: "padding" },
      }
    : spec;
}
