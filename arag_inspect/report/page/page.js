"use strict";
const hold = document.createElement("iframe"); // delays the page's load event until charts are drawn, e.g. for screenshots
hold.hidden = true;
document.body.append(hold);
hold.contentDocument?.open(); // none where a viewer shows the page without an origin
(async () => {
  const unpack = async (id) => { // undoes `_compress` of render.py
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const fixed = (value, digits) => { // a tie goes to the even digit, as in Python
    const text = value.toFixed(digits);
    const isTie = value.toFixed(digits + 20).endsWith(`5${"0".repeat(19)}`);
    return Number(isTie && text.at(-1) % 2 ? (value * (1 - Number.EPSILON)).toFixed(digits) : text);
  };
  const shown = (value) => { // the text of `show_score` in table.py
    if (value === null || value === undefined) return "–";
    const number = fixed(value, 6);
    const size = Math.abs(number);
    return (fixed(number, size < 10 ? 3 : size < 1000 ? 1 : 0) || 0).toLocaleString("en"); // no -0
  };
  const formatCount = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const folded = (title, ...children) => make("details", {}, make("summary", {}, title), ...children);
  const select = (options, value) => {
    const element = make("select", {}, ...options.map(([key, label]) => make("option", { value: String(key) }, label)));
    element.value = String(value);
    return element;
  };

  const scheme = matchMedia("(prefers-color-scheme: dark)");
  document.documentElement.classList.add("js");
  const parts = [...document.querySelectorAll(".part")].map((root) => ({ root, hidden: new Set() }));
  parts.forEach(tabs);
  document.querySelectorAll(".sortable").forEach(sortable);
  document.querySelectorAll(".baseline select").forEach((choice) => choice.addEventListener("change", () =>
    choice.closest(".hero").querySelectorAll(".gap").forEach((gap) => { gap.hidden = gap.dataset.base !== choice.value; })));
  const data = JSON.parse(await unpack("data"));
  const viewer = data.viewer; // linked once it answers
  data.viewer = null;
  parts.forEach((part, number) => {
    part.data = data.benchmarks[number];
    part.reader = reader(part, document.getElementById(`reader-${number}`));
    part.root.querySelectorAll(".systems button").forEach((button) => button.addEventListener("click", () => toggle(part, button)));
  });
  if (document.getElementById("vega").textContent) {
    document.head.append(Object.assign(document.createElement("script"), { textContent: await unpack("vega") }));
  }
  if (viewer) fetch(viewer, { mode: "no-cors", cache: "no-store" }).then(() => { data.viewer = viewer; parts.forEach((part) => part.reader()); }, () => {});
  const redraw = (every = false) => window.vegaEmbed && Promise.all(parts.map((part) => draw(part, every)));
  scheme.addEventListener("change", () => redraw());
  let folds = []; // closed ones, which open on paper
  addEventListener("beforeprint", () => { folds = [...document.querySelectorAll("details:not([open])")]; folds.forEach((fold) => { fold.open = true; }); });
  addEventListener("afterprint", () => folds.forEach((fold) => { fold.open = false; }));
  await redraw();
  setTimeout(() => redraw(true), 1000); // those of other tabs, for paper, when the first screen has come to rest
  document.documentElement.dataset.ready = "yes";

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
    const move = (button) => { part.open(button); button.focus(); history.replaceState(null, "", button.id.replace("tab-", "#")); }; // of no element: nothing scrolls
    buttons.forEach((button, place) => {
      button.addEventListener("click", () => move(button));
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) move(buttons[(place + step + buttons.length) % buttons.length]);
      });
    });
    const follow = () => { // `#samples` means every part, `#0-samples` the first
      const linked = buttons.find((button) => button.id.endsWith(location.hash.replace("#", "-")));
      if (linked) part.open(linked);
    };
    part.open(buttons[0]);
    follow();
    addEventListener("hashchange", follow);
  }

  function sortable(table) {
    table.querySelectorAll("thead th").forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.value ? Number(row.cells[column].dataset.value) : null;
      const rows = [...table.tBodies[0].rows].sort((one, other) => {
        const [a, b] = [key(one), key(other)];
        if (a === null && b === null) return (up ? 1 : -1) * one.cells[column].textContent.localeCompare(other.cells[column].textContent);
        return a === null ? 1 : b === null ? -1 : (up ? 1 : -1) * (a - b);
      });
      table.tBodies[0].append(...rows);
    }));
  }

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
      drawings.push(vegaEmbed(place, spec, {
        actions: { export: true, source: false, compiled: false, editor: false },
        downloadFileName: place.id.replace(/^chart-\d+-/, ""),
        theme: scheme.matches ? "dark" : undefined,
        config: { background: "transparent", axis: { gridColor: "#8884" }, axisX: { tickCount: 6, labelOverlap: "greedy", labelSeparation: 6 } },
      }).then(({ view }) => { // the figure says in words what the drawing shows
        copying(place.closest("figure").querySelector(".copy"), view);
        place.querySelector("svg.marks")?.setAttribute("aria-hidden", "true");
        place.querySelector("summary")?.setAttribute("aria-label", "Save this chart as SVG or PNG");
      }).catch((error) => place.append(String(error))));
    }
    return Promise.all(drawings);
  }

  function copying(button, view) {
    button.hidden = !navigator.clipboard?.write;
    button.onclick = async () => {
      const canvas = await view.toCanvas(2);
      const picture = new Promise((done) => canvas.toBlob(done, "image/png"));
      const copied = navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
      button.textContent = await copied.then(() => "Copied", () => "Not copied");
    };
  }

  function lighter(color) { // mixed with white as the swatches of page.css, against a dark background; other values as they are
    if (!/^#[0-9a-f]{6}$/.test(color)) return color;
    return "#" + color.match(/[0-9a-f]{2}/g).map((channel) => Math.round(0.7 * parseInt(channel, 16) + 76.5).toString(16).padStart(2, "0")).join("");
  }

  function fit(whole, gone, width) { // a copy without hidden systems, and as wide as its place
    const size = width < 600 ? 10 : 12; // of the text in pixels
    const names = []; // and ends of scales, which are short
    JSON.stringify(whole, (key, value) => {
      if (key === "domain") names.push(...value);
      return value;
    });
    const longest = Math.max(0, ...names.map((name) => 0.65 * size * String(name).length)); // in pixels
    const most = (share) => Math.min(320, Math.round(share * width));
    const columns = Math.max(1, Math.floor(0.7 * width / (Math.min(longest, most(0.48)) + 30)));
    // the legend begins beside the labels of the axis, which take up to 0.38 of the width
    const brief = (name, share) => { // an expression: without the names of settings, then without its middle
      const bare = longest > most(share) ? `replace(${name}, regexp("[\\\\w.]+=", "g"), "")` : name;
      return `truncate(${bare}, ${Math.floor(most(share) / (0.6 * size))}, "center")`;
    };
    const spec = JSON.parse(JSON.stringify(whole), (key, value) => {
      if (key === "values" && Array.isArray(value)) return value.filter((row) => !gone.has(row.system));
      if (key === "range" && scheme.matches) return value.map(lighter);
      if (value?.field !== "system") return value;
      return key === "color" && value.legend !== null ? { ...value, legend: { labelExpr: brief("datum.label", 0.48) } } : value;
    });
    Object.assign(spec.config.legend, { labelFontSize: size, titleFontSize: size });
    Object.assign(spec.config.axis, { labelFontSize: size, titleFontSize: size });
    Object.assign(spec.config.header, { labelFontSize: size });
    spec.config.axisY = { labelLimit: most(0.38), labelExpr: brief("datum.label", 0.38) };
    const layout = { top: { direction: width < 600 ? "vertical" : "horizontal" } };
    Object.assign(spec.config.legend, { columns, labelLimit: most(0.48), titleLimit: 0.47 * width, layout });
    if (spec.facet) {
      const columns = Math.max(1, Math.min(spec.columns, Math.floor(width / 300)));
      const room = Math.max(130, 40 + Math.min(longest, most(0.38)));
      return { ...spec, columns, spec: { ...spec.spec, width: Math.max(140, (width - room) / columns - 20) } };
    }
    return typeof spec.width === "number" ? { ...spec, width: Math.max(200, width - 40), autosize: { type: "fit-x", contains: "padding" } } : spec;
  }

  function reader(part, root) {
    const benchmark = part.data;
    const state = { search: "", measure: benchmark.order[0] ?? 0, only: "all", order: benchmark.systems.length > 1 ? "spread" : "id" };
    const list = make("ul", { class: "list", role: "listbox", tabindex: "0", "aria-label": "Samples" });
    const view = make("article", { "aria-label": "Sample" });
    const count = make("p", { class: "quiet", role: "status" });
    let found = [];
    let chosen = null;
    const named = (code) => benchmark.code_names[code] ?? code;
    const link = (sample) => `#sample-${root.id.replace("reader-", "")}-${encodeURIComponent(sample.id)}`;
    const open = () => {
      const linked = benchmark.samples.find((sample) => link(sample) === location.hash);
      if (!linked) return;
      part.open(part.root.querySelector("[role=tab][id$=-samples]"));
      choose(linked);
    };

    const step = (by) => {
      const place = Math.max(0, found.indexOf(chosen)) + by;
      if (found.length) move(found[Math.min(Math.max(place, 0), found.length - 1)]);
    };
    const narrow = matchMedia("(max-width: 800px)"); // the list is above the sample

    root.append(filters(), count, make("div", { class: "reader" }, list, view));
    list.addEventListener("keydown", (event) => {
      const keys = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -found.length, End: found.length };
      if (!(event.key in keys)) return;
      event.preventDefault();
      step(keys[event.key]);
    });
    list.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) move(found[Number(item.dataset.place)]);
    });
    refresh();
    addEventListener("hashchange", open);
    open();
    return refresh;

    function move(sample) {
      choose(sample);
      history.replaceState(null, "", link(sample)); // the address can be pasted
      if (narrow.matches) view.scrollIntoView();
    }

    function filters() {
      const field = (label, control) => make("label", {}, label, control);
      const choice = (name, options) => {
        const control = select(options, state[name]);
        control.addEventListener("change", () => { state[name] = control.value; refresh(); });
        return control;
      };
      const search = make("input", { type: "search", placeholder: "words, id, group" });
      search.addEventListener("input", () => { state.search = search.value.toLowerCase(); refresh(); });
      const options = [["all", "all samples"]];
      const several = benchmark.systems.length > 1 ? benchmark.systems : [];
      several.forEach(({ name }, place) => options.push([`loses:${place}`, `where ${name} loses`]));
      Object.keys(benchmark.code_names).forEach((code) => options.push([`code:${code}`, `with error ${named(code)}`]));
      if (benchmark.samples.some((sample) => sample.answers.some((answer) => answer.pieces.some(doubtful)))) options.push(["doubt", "with figures in doubt"]);
      return make("div", { class: "filters", role: "search" }, field("Search", search),
        field("Measure", choice("measure", benchmark.measures.map((one, place) => [place, one.label]))),
        field("Show", choice("only", options)),
        field("Order", choice("order", [["id", "id"], ["low", "worst first"], ["spread", "largest difference"]])));
    }

    function refresh() {
      found = benchmark.samples.filter((sample) => matches(sample)).sort(compare);
      list.replaceChildren(...found.map(item));
      count.textContent = `${found.length} of ${benchmark.samples.length} samples. Arrow keys move in the list.`;
      choose(found.includes(chosen) ? chosen : found[0] ?? null);
    }

    function matches(sample) {
      if (state.search && !haystack(sample).includes(state.search)) return false;
      const [kind, which] = state.only.split(/:(.*)/);
      const answers = sample.answers;
      switch (kind) {
        case "loses": {
          const values = bySystem(sample);
          const own = values[Number(which)];
          const others = values.filter((value, place) => place !== Number(which) && value !== null);
          const { higher_is_better: rises, tie } = benchmark.measures[state.measure];
          if (own === null || !others.length || rises === null) return false;
          const sign = rises === false ? -1 : 1;
          return sign * own - Math.max(...others.map((value) => sign * value)) <= -tie;
        }
        case "code": return answers.some((answer) => answer.codes?.includes(which));
        case "doubt": return answers.some((answer) => answer.pieces.some(doubtful));
        default: return true;
      }
    }

    function haystack(sample) {
      sample.words ??= [sample.id, sample.company, sample.period, sample.question_type, sample.input, sample.target,
        ...sample.answers.flatMap((answer) => answer.pieces.map((piece) => piece.text))].join(" ").toLowerCase();
      return sample.words;
    }

    function bySystem(sample) {
      return benchmark.systems.map((_, place) => {
        const values = sample.answers.filter((answer) => answer.system === place)
          .map((answer) => answer.marks[state.measure]).filter((value) => value !== undefined);
        return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
      });
    }

    function compare(one, other) {
      const key = (sample) => {
        if (state.order === "id") return null;
        const values = bySystem(sample).filter((value) => value !== null);
        if (!values.length) return null;
        if (state.order === "spread") return Math.min(...values) - Math.max(...values);
        const sign = benchmark.measures[state.measure].higher_is_better === false ? -1 : 1;
        return Math.min(...values.map((value) => sign * value));
      };
      const [a, b] = [key(one), key(other)];
      if (a === b) return one.id < other.id ? -1 : 1;
      return a === null ? 1 : b === null ? -1 : a - b;
    }

    function colour(value, place) { // class of a value by its third of the scale
      const { low, high, higher_is_better: rises } = benchmark.measures[place] ?? {};
      if (value === undefined || value === null || low === null || high === null || rises === null) return null;
      const share = (value - low) / (high - low);
      const good = rises ? share : 1 - share;
      return good >= 2 / 3 ? "high" : good >= 1 / 3 ? "middle" : "low";
    }

    function item(sample, place) {
      const values = bySystem(sample).map((value, system) => part.hidden.has(system) ? null
        : make("span", {}, `${benchmark.systems[system].name} `, make("span", { class: colour(value, state.measure) }, shown(value))));
      return make("li", { role: "option", id: `${root.id}-${place}`, "data-place": String(place), "aria-selected": String(sample === chosen) },
        make("div", { class: "asked" }, sample.input.split("\n")[0].slice(0, 160) || sample.id),
        make("div", { class: "values" }, make("span", {}, sample.id), ...values));
    }

    function choose(sample) {
      chosen = sample;
      list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
      const place = found.indexOf(sample);
      if (place >= 0) {
        const row = list.children[place];
        row.setAttribute("aria-selected", "true");
        list.setAttribute("aria-activedescendant", row.id);
        if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) {
          list.scrollTop = row.offsetTop - list.clientHeight / 3;
        }
      }
      view.replaceChildren(...(sample ? show(sample) : [make("p", {}, "No sample matches.")]));
    }

    function show(sample) {
      const about = [sample.id, sample.company, sample.period, sample.question_type].filter(Boolean).join(" · ");
      const [first, ...rest] = sample.input.split("\n");
      const reference = make("section", { class: "reference" }, make("h3", {}, "Reference"),
        make("div", { class: "text" }, sample.target || "none"),
        sample.evidence.length ? folded("Evidence", make("ul", { class: "passages" }, ...sample.evidence.map((text) => make("li", {}, text)))) : null);
      return [
        make("h2", {}, first.slice(0, 300)),
        make("p", { class: "quiet" }, `${about} · `, make("a", { href: link(sample), class: "quiet" }, "link to this sample")),
        ...(rest.length || first.length > 300 ? [folded("Whole question", make("pre", {}, sample.input))] : []),
        reference,
        make("div", { class: "answers" }, ...sample.answers.filter((answer) => !part.hidden.has(answer.system)).map((answer) => answered(sample, answer))),
      ];
    }

    function answered(sample, answer) {
      const system = benchmark.systems[answer.system];
      const epochs = sample.answers.filter((other) => other.system === answer.system).length > 1;
      const link = `${data.viewer}/#/logs/${encodeURIComponent(system.log)}/samples/sample/${encodeURIComponent(sample.id)}/${answer.epoch}/`;
      const effort = answer.outcome === "skipped" ? "" : [answer.words !== null && formatCount(answer.words, "word"), answer.loops && formatCount(answer.loops, "loop"),
        answer.cost, answer.time,
        answer.stopped_by && answer.stopped_by !== "answer" && `stopped by ${answer.stopped_by.replace("_", " ")}`].filter(Boolean).join(" · ");
      return make("section", { class: "answer" },
        make("h3", {}, system.name, epochs ? ` (epoch ${answer.epoch})` : null),
        answer.outcome === "answered" ? null : make("p", { class: "missed" }, [answer.outcome, answer.error].filter(Boolean).join(": ")),
        ...written(answer),
        make("p", {}, ...(answer.codes ?? []).map((code) => make("span", { class: "code" }, named(code))),
          answer.codes?.length && answer.by_rules ? make("span", { class: "quiet" }, "by rules") : null),
        make("p", { class: "quiet" }, effort),
        ...scores(answer), ...judgements(answer), pieces(answer, "section"), pieces(answer, "topic"), retrieval(answer),
        data.viewer ? make("a", { href: link, target: "_blank", rel: "noopener" }, "Open in inspect view") : null);
    }

    function written(answer) {
      const source = make("p", { class: "quiet", role: "status" });
      const text = make("div", { class: "text" }, ...answer.pieces.map(piece));
      text.addEventListener("focusin", (event) => { source.textContent = event.target.title; });
      return [text, source];
    }

    function doubtful(one) { return one.verdict && one.verdict !== "supported"; }

    function piece(one) {
      if (!one.verdict && !one.source) return document.createTextNode(one.text);
      const differs = one.differs?.length ? ` (${one.differs.join(", ")})` : "";
      const verdict = one.verdict ? `${one.verdict.replace("_", " ")}${differs}` : "nearest sentence read";
      const about = `${verdict}${one.source ? `: ${one.source}` : ""}`;
      return make("mark", { class: one.verdict ?? "nearest", title: about, tabindex: "0", "aria-label": `${one.text}, ${about}` }, one.text);
    }

    function scores(answer) { // the main measures with colours, the rest behind one fold
      const row = (place) => {
        const value = answer.marks[place];
        return [make("dt", {}, benchmark.measures[place].label),
          make("dd", { class: colour(value, place) }, value === undefined ? answer.why[place] : shown(value))];
      };
      const known = benchmark.order.filter((place) => answer.marks[place] !== undefined || answer.why[place] !== undefined);
      const rest = known.slice(5);
      return [make("dl", { class: "scores" }, ...known.slice(0, 5).flatMap(row)),
        ...(rest.length ? [folded(formatCount(rest.length, "more measure"), make("dl", { class: "scores" }, ...rest.flatMap(row)))] : [])];
    }

    function judgements(answer) { // a line in words for each judge
      const line = (one) => {
        const { noun = one.scorer, graded, high } = benchmark.measures.find((measure) => measure.name === one.scorer) ?? {};
        const value = one.verdict === null ? one.reason ?? "no verdict" : `${shown(one.verdict)}${graded && high ? ` of ${high}` : ""}`;
        return `${one.grader} on ${noun}: ${one.said || value}`;
      };
      const judged = answer.judgements.map((one) => folded(line(one), make("pre", {}, one.reasoning)));
      const explained = Object.entries(answer.explanations).map(([scorer, text]) => folded(scorer, make("pre", {}, text)));
      return explained.length ? [...judged, folded(formatCount(explained.length, "explanation"), ...explained)] : judged;
    }

    function pieces(answer, kind) {
      const own = answer.parts.filter((part) => part.kind === kind);
      if (!own.length) return null;
      const line = (label, kept) => {
        const names = own.filter(kept).map((part) => part.name).join(", ");
        return names ? make("p", {}, `${label}: ${names}`) : null;
      };
      return folded(`${own.filter((part) => part.drawn).length} of ${own.length} ${kind}s used`,
        line("Used", (part) => part.drawn),
        line("Read, not used", (part) => part.read && !part.drawn),
        line("Neither read nor used", (part) => !part.read && !part.drawn));
    }

    function retrieval(answer) {
      if (!answer.read.length && !answer.missed.length) return null;
      const passages = answer.read.map((one) => ({ ...one, ...benchmark.passages[one.passage] }));
      const searches = answer.searches.map((one) => make("li", {},
        `loop ${one.loop}, ${one.tool}: ${[one.query].flat().join(", ")} (${one.found} found)`));
      const goldMark = answer.by_text ? " (part of gold)" : " (gold)";
      const read = passages.map((one) => make("li", {},
        make("span", { class: one.gold ? "gold" : null }, `chunk ${one.chunk}${one.gold ? goldMark : ""}`),
        ` ${one.prefix}${one.loop ? `, loop ${one.loop}` : ""}: ${one.snippet}…`));
      const gold = answer.gold ? `, with ${answer.gold - answer.missed.length} of ${formatCount(answer.gold, answer.by_text ? "evidence text" : "gold passage")}` : "";
      const missed = answer.by_text ? `Evidence, not read: ${answer.missed.join(" / ")}` : `Gold, not read: chunk ${answer.missed.join(", ")}`;
      return folded(`${formatCount(answer.read.length, "passage")} read${gold}`,
        answer.missed.length ? make("p", { class: "missed" }, missed) : null,
        make("ol", { class: "passages" }, ...read),
        searches.length ? folded("Searches", make("ol", { class: "passages" }, ...searches)) : null);
    }
  }
})().catch((error) => document.querySelector("main").prepend(`Charts and samples cannot be shown; the browser may be too old: ${error}`)).finally(() => hold.remove());
