"use strict";
(async () => {
  const unpack = async (id) => { // undoes `_packed` of render.py
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const data = JSON.parse(await unpack("data"));
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const shown = (value, digits = 3) =>
    value === null || value === undefined ? "–" : Number(value.toFixed(digits)).toString();

  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const draw = () => {
    for (const chart of data.charts) {
      const place = document.getElementById(chart.id);
      const spec = typeof chart.spec.width === "number"
        ? { ...chart.spec, width: Math.min(760, Math.max(200, place.clientWidth - 30)), autosize: { type: "fit-x", contains: "padding" } } : chart.spec;
      vegaEmbed(place, spec, {
        actions: { export: true, source: false, compiled: false, editor: false },
        theme: scheme.matches ? "dark" : undefined, config: { background: "transparent" },
      }).then(() => { // the figure says in words what the drawing shows
        place.querySelector("svg.marks")?.setAttribute("aria-hidden", "true");
        place.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
      }).catch((error) => place.append(String(error)));
    }
  };
  data.benchmarks.forEach((benchmark, number) => reader(benchmark, document.getElementById(`reader-${number}`)));
  if (data.charts.length) {
    document.head.append(Object.assign(document.createElement("script"), { textContent: await unpack("vega") }));
    draw();
    scheme.addEventListener("change", draw);
  }
  document.documentElement.dataset.ready = "yes";

  function reader(benchmark, root) {
    const state = { search: "", measure: benchmark.main, only: "all", order: "id", against: "" };
    const list = make("ul", { class: "list", role: "listbox", tabindex: "0", "aria-label": "Samples" });
    const view = make("article", { "aria-label": "Sample" });
    const count = make("p", { class: "quiet", role: "status" });
    let found = [];
    let chosen = null;
    const named = (code) => [code, benchmark.code_names[code]].filter(Boolean).join(" ");
    const link = (sample) => `#sample-${root.id.replace("reader-", "")}-${encodeURIComponent(sample.id)}`;
    const open = () => {
      const linked = benchmark.samples.find((sample) => link(sample) === location.hash);
      if (linked) { choose(linked); root.scrollIntoView(); }
    };

    root.append(filters(), count, make("div", { class: "reader" }, list, view));
    list.addEventListener("keydown", (event) => {
      const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -found.length, End: found.length };
      if (!(event.key in steps) || !found.length) return;
      event.preventDefault();
      const place = Math.max(0, found.indexOf(chosen)) + steps[event.key];
      move(found[Math.min(Math.max(place, 0), found.length - 1)]);
    });
    list.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) move(found[Number(item.dataset.place)]);
    });
    refresh();
    addEventListener("hashchange", open);
    open();

    function move(sample) {
      choose(sample);
      history.replaceState(null, "", link(sample)); // the address can be pasted
    }

    function filters() {
      const field = (label, control) => make("label", {}, label, control);
      const search = make("input", { type: "search", placeholder: "id, company, words" });
      search.addEventListener("input", () => { state.search = search.value.toLowerCase(); refresh(); });
      const measure = select(benchmark.measures.map((one, place) => [place, one.label]), state.measure);
      measure.addEventListener("change", () => { state.measure = Number(measure.value); refresh(); });
      const options = [["all", "all samples"]];
      benchmark.systems.forEach((system, place) => {
        if (benchmark.systems.length > 1) {
          options.push([`loses:${place}`, `where ${system.name} loses`]);
          options.push([`wins:${place}`, `where ${system.name} wins`]);
        }
      });
      benchmark.codes.forEach((code) => options.push([`code:${code}`, `with error ${named(code)}`]));
      const any = (found) => benchmark.samples.some((sample) => sample.answers.some(found));
      if (any((answer) => answer.pieces.some(doubtful))) options.push(["doubt", "with figures in doubt"]);
      if (any((answer) => answer.gold && answer.read.length)) options.push(["missed", "with gold passages missed"]);
      options.push(["unscored", "without a score"]);
      const only = select(options, state.only);
      only.addEventListener("change", () => { state.only = only.value; refresh(); });
      const order = select([["id", "id"], ["low", "worst first"], ["high", "best first"], ["spread", "largest difference"]], state.order);
      order.addEventListener("change", () => { state.order = order.value; refresh(); });
      const against = select([["", "none"], ["target", "the reference"], ...benchmark.systems.map((system, place) => [place, system.name])], state.against);
      against.addEventListener("change", () => { state.against = against.value; choose(chosen); });
      return make("div", { class: "filters", role: "search" }, field("Search", search), field("Measure", measure),
        field("Show", only), field("Order", order), field("Mark words that differ from", against));
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
      const values = bySystem(sample);
      const answers = sample.answers;
      switch (kind) {
        case "loses": case "wins": {
          const own = values[Number(which)];
          const others = values.filter((value, place) => place !== Number(which) && value !== null);
          if (own === null || !others.length) return false;
          const { higher_is_better: rises, tie } = benchmark.measures[state.measure];
          const sign = rises === false ? -1 : 1;
          const gap = sign * own - Math.max(...others.map((value) => sign * value));
          return kind === "wins" ? gap >= tie : gap <= -tie;
        }
        case "code": return answers.some((answer) => answer.codes?.includes(which));
        case "doubt": return answers.some((answer) => answer.pieces.some(doubtful));
        case "missed": return answers.some((answer) => answer.missed.length && answer.read.length);
        case "unscored": return answers.some((answer) => answer.marks[state.measure] === undefined);
        default: return true;
      }
    }

    function haystack(sample) {
      sample.words ??= [sample.id, sample.company, sample.period, sample.question_type, sample.target,
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
        const values = bySystem(sample).filter((value) => value !== null);
        if (!values.length || state.order === "id") return null;
        if (state.order === "spread") return Math.min(...values) - Math.max(...values);
        const sign = (state.order === "low" ? 1 : -1) * (benchmark.measures[state.measure].higher_is_better === false ? -1 : 1);
        return sign * (state.order === "low" ? Math.min(...values) : Math.max(...values));
      };
      const [a, b] = [key(one), key(other)];
      if (a === b) return one.id < other.id ? -1 : 1;
      return a === null ? 1 : b === null ? -1 : a - b;
    }

    function item(sample, place) {
      const values = bySystem(sample).map((value, system) =>
        make("span", {}, `${benchmark.systems[system].name} ${shown(value, 2)}`));
      return make("li", { role: "option", id: `${root.id}-${place}`, "data-place": String(place), "aria-selected": String(sample === chosen) },
        make("div", {}, sample.id), make("div", { class: "values" }, ...values));
    }

    function choose(sample) {
      chosen = sample;
      [...list.children].forEach((row, place) => row.setAttribute("aria-selected", String(found[place] === sample)));
      const place = found.indexOf(sample);
      if (place >= 0) {
        list.setAttribute("aria-activedescendant", `${root.id}-${place}`);
        const row = list.children[place];
        if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) {
          list.scrollTop = row.offsetTop - list.clientHeight / 3;
        }
      }
      view.replaceChildren(...(sample ? show(sample) : [make("p", {}, "No sample matches.")]));
    }

    function show(sample) {
      const about = [sample.company, sample.period, sample.question_type].filter(Boolean).join(" · ");
      const reference = make("section", { class: "reference" }, make("h4", {}, "Reference"),
        make("div", { class: "text" }, sample.target || "none"),
        sample.evidence.length ? folded("Evidence", make("ul", { class: "passages" }, ...sample.evidence.map((text) => make("li", {}, text)))) : null);
      return [
        make("h3", {}, sample.id, about ? make("span", { class: "quiet" }, ` ${about} `) : null,
          make("a", { href: link(sample), class: "quiet" }, "link to this sample")),
        folded("Question", make("pre", {}, sample.input)),
        reference,
        make("div", { class: "answers" }, ...sample.answers.map((answer) => answered(sample, answer))),
      ];
    }

    function answered(sample, answer) {
      const system = benchmark.systems[answer.system];
      const epochs = sample.answers.filter((other) => other.system === answer.system).length > 1;
      const link = `${data.viewer}/#/logs/${encodeURIComponent(system.log)}/samples/sample/${encodeURIComponent(sample.id)}/${answer.epoch}/`;
      const effort = answer.outcome === "skipped" ? "" : [`${answer.words} words`, answer.loops && `${answer.loops} loops`,
        answer.cost_usd !== null && `$${shown(answer.cost_usd, 4)}`, answer.latency_ms !== null && `${shown(answer.latency_ms, 0)} ms`,
        answer.stopped_by && answer.stopped_by !== "answer" && `stopped by ${answer.stopped_by}`].filter(Boolean).join(" · ");
      return make("section", { class: "answer" },
        make("h4", {}, system.name, epochs ? ` (epoch ${answer.epoch})` : null),
        answer.outcome === "answered" ? null : make("p", { class: "missed" }, [answer.outcome, answer.error].filter(Boolean).join(": ")),
        ...written(sample, answer),
        make("p", {}, ...(answer.codes ?? []).map((code) => make("span", { class: "code" }, named(code)))),
        make("p", { class: "quiet" }, effort),
        scores(answer), ...judgements(answer), parts(answer, "section"), parts(answer, "topic"), retrieval(answer),
        make("a", { href: link, target: "_blank", rel: "noopener" }, "Open in inspect view"));
    }

    function written(sample, answer) {
      const other = state.against === "target" ? { pieces: [{ text: sample.target }] }
        : sample.answers.find((one) => one.system !== answer.system && String(one.system) === state.against);
      if (other) return [make("div", { class: "text" }, ...differing(answer, other))];
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

    function differing(answer, other) { // marks words outside the longest common subsequence
      const [own, theirs] = [answer, other].map((one) => one.pieces.map((part) => part.text).join("").match(/\S+\s*/g) ?? []);
      const same = (i, j) => own[i].trim() === theirs[j].trim();
      const wide = theirs.length + 1;
      const longest = new Uint16Array((own.length + 1) * wide);
      for (let i = own.length - 1; i >= 0; i--) {
        for (let j = theirs.length - 1; j >= 0; j--) {
          const at = i * wide + j;
          longest[at] = same(i, j) ? longest[at + wide + 1] + 1 : Math.max(longest[at + wide], longest[at + 1]);
        }
      }
      const parts = [];
      let j = 0;
      for (let i = 0; i < own.length; i++) {
        while (j < theirs.length && !same(i, j) && longest[i * wide + j + 1] > longest[(i + 1) * wide + j]) j++;
        const shared = j < theirs.length && same(i, j);
        parts.push(shared ? own[i] : make("ins", {}, own[i]));
        if (shared) j++;
      }
      return parts;
    }

    function scores(answer) {
      const rows = benchmark.measures.flatMap((measure, place) => {
        const value = answer.marks[place];
        if (value === undefined && answer.why[place] === undefined) return [];
        if (measure.name.startsWith("error_taxonomy.")) return [];
        return [make("dt", {}, measure.label), make("dd", {}, value === undefined ? answer.why[place] : shown(value))];
      });
      return make("dl", { class: "scores" }, ...rows);
    }

    function judgements(answer) {
      const judged = answer.judgements.map((one) => folded(
        `${one.scorer} by ${one.grader}: ${one.said || (one.verdict === null ? one.reason ?? "see the reply" : shown(one.verdict))}`,
        make("pre", {}, one.reasoning)));
      const explained = Object.entries(answer.explanations).map(([scorer, text]) => folded(scorer, make("pre", {}, text)));
      return [...judged, ...explained];
    }

    function parts(answer, kind) {
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
      const sections = new Map();
      const passages = answer.read.map((one) => ({ ...one, ...benchmark.passages[one.passage] }));
      for (const one of passages) sections.set(one.prefix, (sections.get(one.prefix) ?? 0) + 1);
      const searches = answer.searches.map((one) => make("li", {},
        `loop ${one.loop}, ${one.tool}: ${[one.query].flat().join(", ")} (${one.found} found)`));
      const read = passages.map((one) => make("li", {},
        make("span", { class: one.gold ? "gold" : null }, `chunk ${one.chunk}${one.gold ? " (gold)" : ""}`),
        ` loop ${one.loop}: ${one.snippet}…`));
      return folded(`${answer.read.length} passages read, ${answer.missed.length} of ${answer.gold} gold ones missed`,
        make("p", {}, "Sections: ", [...sections].map(([prefix, times]) => `${prefix} × ${times}`).join("; ")),
        answer.missed.length ? make("p", { class: "missed" }, `Gold, not read: chunk ${answer.missed.join(", ")}`) : null,
        make("ol", { class: "passages" }, ...read),
        searches.length ? folded("Searches", make("ol", { class: "passages" }, ...searches)) : null);
    }
  }

  function folded(title, ...children) {
    return make("details", {}, make("summary", {}, title), ...children);
  }

  function select(options, value) {
    const element = make("select", {}, ...options.map(([key, label]) => make("option", { value: String(key) }, label)));
    element.value = String(value);
    return element;
  }
})().catch((error) => document.querySelector("main").prepend(`Charts and samples cannot be shown, the browser may be too old: ${error}`));
