// The reader of samples: a list with filters, and the answers to the chosen one.

function reader(part, root) {
  const benchmark = part.data;
  const state = {
    search: "",
    measure: benchmark.order[0] ?? 0,
    only: "all",
    order: benchmark.systems.length > 1 ? "spread" : "id",
  };
  const list = make("ul", {
    class: "list",
    role: "listbox",
    tabindex: "0",
    "aria-label": "Samples",
  });
  const view = make("article", { "aria-label": "Sample" });
  const count = make("p", { class: "quiet", role: "status" });
  let found = [];
  let chosen = null;
  const named = (code) => benchmark.code_names[code] ?? code;
  const titles = titlesOf(benchmark.samples);
  const link = (sample) =>
    `#sample-${root.id.replace("reader-", "")}-${encodeURIComponent(sample.id)}`;
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
    const keys = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      Home: -found.length,
      End: found.length,
    };
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
      control.addEventListener("change", () => {
        state[name] = control.value;
        refresh();
      });
      return control;
    };
    const search = make("input", { type: "search", placeholder: "words, id, group" });
    search.addEventListener("input", () => {
      state.search = search.value.toLowerCase();
      refresh();
    });
    const options = [["all", "all samples"]];
    const several = benchmark.systems.length > 1 ? benchmark.systems : [];
    several.forEach(({ name }, place) => options.push([`loses:${place}`, `where ${name} loses`]));
    Object.keys(benchmark.code_names).forEach((code) =>
      options.push([`code:${code}`, `with error ${named(code)}`]),
    );
    if (
      benchmark.samples.some((sample) =>
        sample.answers.some((answer) => answer.pieces.some(doubtful)),
      )
    )
      options.push(["doubt", "with figures in doubt"]);
    return make(
      "div",
      { class: "filters", role: "search" },
      field("Search", search),
      field(
        "Measure",
        choice(
          "measure",
          benchmark.measures.map((one, place) => [place, one.label]),
        ),
      ),
      field("Show", choice("only", options)),
      field(
        "Order",
        choice("order", [
          ["id", "id"],
          ["low", "worst first"],
          ["spread", "largest difference"],
        ]),
      ),
    );
  }

  function refresh() {
    found = benchmark.samples.filter((sample) => matches(sample)).sort(compare);
    list.replaceChildren(...found.map(item));
    count.textContent = `${found.length} of ${benchmark.samples.length} samples. Arrow keys move in the list.`;
    choose(found.includes(chosen) ? chosen : (found[0] ?? null));
  }

  function matches(sample) {
    if (state.search && !haystack(sample).includes(state.search)) return false;
    const [kind, which] = state.only.split(/:(.*)/);
    const answers = sample.answers;
    switch (kind) {
      case "loses": {
        const values = bySystem(sample);
        const score = values[Number(which)];
        const others = values.filter((value, place) => place !== Number(which) && value !== null);
        const { higher_is_better: rises, tie } = benchmark.measures[measureOf(sample)];
        if (score === null || !others.length || rises === null) return false;
        const sign = rises === false ? -1 : 1;
        return sign * score - Math.max(...others.map((value) => sign * value)) <= -tie;
      }
      case "code":
        return answers.some((answer) => answer.codes?.includes(which));
      case "doubt":
        return answers.some((answer) => answer.pieces.some(doubtful));
      default:
        return true;
    }
  }

  function haystack(sample) {
    sample.words ??= [
      sample.id,
      sample.company,
      sample.period,
      sample.question_type,
      sample.input,
      sample.target,
      ...sample.answers.flatMap((answer) => answer.pieces.map((piece) => piece.text)),
    ]
      .join(" ")
      .toLowerCase();
    return sample.words;
  }

  function measureOf(sample) {
    // measures of right answers leave out unanswerable questions: whether they were declined counts
    const { declined } = benchmark;
    const has = (measure) => sample.answers.some((answer) => answer.marks[measure] !== undefined);
    return declined !== null && !has(state.measure) && has(declined) ? declined : state.measure;
  }

  function bySystem(sample, measure = measureOf(sample)) {
    return benchmark.systems.map((_, place) => {
      const values = sample.answers
        .filter((answer) => answer.system === place)
        .map((answer) => answer.marks[measure])
        .filter((value) => value !== undefined);
      return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
    });
  }

  function someDecline(sample) {
    const values = bySystem(sample, benchmark.declined).filter((value) => value !== null);
    return Math.min(...values) < Math.max(...values);
  }

  function compare(one, other) {
    const key = (sample) => {
      if (state.order === "id") return null;
      if (state.order === "spread" && someDecline(sample)) return -Infinity;
      const values = bySystem(sample).filter((value) => value !== null);
      if (!values.length) return null;
      if (state.order === "spread") return Math.min(...values) - Math.max(...values);
      const sign = benchmark.measures[measureOf(sample)].higher_is_better === false ? -1 : 1;
      return Math.min(...values.map((value) => sign * value));
    };
    const [a, b] = [key(one), key(other)];
    if (a === b) return one.id < other.id ? -1 : 1;
    return a === null ? 1 : b === null ? -1 : a - b;
  }

  function colour(value, place) {
    // class of a value by its third of the scale
    const { low, high, higher_is_better: rises } = benchmark.measures[place] ?? {};
    if (value === undefined || value === null || low === null || high === null || rises === null)
      return null;
    const share = (value - low) / (high - low);
    const good = rises ? share : 1 - share;
    return good >= 2 / 3 ? "high" : good >= 1 / 3 ? "middle" : "low";
  }

  function item(sample, place) {
    const measure = measureOf(sample);
    const note = measure === state.measure ? "" : ` · ${benchmark.measures[measure].label}`;
    const values = bySystem(sample).map((value, system) =>
      part.hidden.has(system)
        ? null
        : make(
            "span",
            {},
            `${benchmark.systems[system].name} `,
            make("span", { class: colour(value, measure) }, shown(value)),
          ),
    );
    return make(
      "li",
      {
        role: "option",
        id: `${root.id}-${place}`,
        "data-place": String(place),
        "aria-selected": String(sample === chosen),
      },
      make("div", { class: "asked" }, titles.get(sample).slice(0, 160)),
      make("div", { class: "values" }, make("span", {}, sample.id, note), ...values),
    );
  }

  function choose(sample) {
    chosen = sample;
    list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    const place = found.indexOf(sample);
    if (place >= 0) {
      const row = list.children[place];
      row.setAttribute("aria-selected", "true");
      list.setAttribute("aria-activedescendant", row.id);
      if (
        row.offsetTop < list.scrollTop ||
        row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight
      ) {
        list.scrollTop = row.offsetTop - list.clientHeight / 3;
      }
    }
    view.replaceChildren(...(sample ? show(sample) : [make("p", {}, "No sample matches.")]));
  }

  function show(sample) {
    const about = [sample.id, sample.company, sample.period, sample.question_type]
      .filter(Boolean)
      .join(" · ");
    const title = titles.get(sample);
    const reference = make(
      "section",
      { class: "reference" },
      make("h3", {}, "Reference"),
      make("div", { class: "text" }, sample.target || "none"),
      sample.evidence.length
        ? folded(
            "Evidence",
            make(
              "ul",
              { class: "passages" },
              ...sample.evidence.map((text) => make("li", {}, text)),
            ),
          )
        : null,
    );
    return [
      make("h2", {}, title.slice(0, 300)),
      make(
        "p",
        { class: "quiet" },
        `${about} · `,
        make("a", { href: link(sample), class: "quiet" }, "link to this sample"),
      ),
      ...(title !== sample.input || title.length > 300
        ? [folded("Whole question", make("pre", {}, sample.input))]
        : []),
      reference,
      make(
        "div",
        { class: "answers" },
        ...sample.answers
          .filter((answer) => !part.hidden.has(answer.system))
          .map((answer) => answered(sample, answer)),
      ),
    ];
  }

  function answered(sample, answer) {
    const system = benchmark.systems[answer.system];
    const epochs = sample.answers.filter((other) => other.system === answer.system).length > 1;
    const link = `${data.viewer}/#/logs/${encodeURIComponent(system.log)}/samples/sample/${encodeURIComponent(sample.id)}/${answer.epoch}/`;
    const effort =
      answer.outcome === "skipped"
        ? ""
        : [
            answer.words !== null && formatCount(answer.words, "word"),
            answer.loops && formatCount(answer.loops, "loop"),
            answer.cost,
            answer.time,
            answer.stopped_by &&
              answer.stopped_by !== "answer" &&
              `stopped by ${answer.stopped_by.replace("_", " ")}`,
          ]
            .filter(Boolean)
            .join(" · ");
    return make(
      "section",
      { class: "answer" },
      make("h3", {}, system.name, epochs ? ` (epoch ${answer.epoch})` : null),
      answer.outcome === "answered"
        ? null
        : make("p", { class: "missed" }, [answer.outcome, answer.error].filter(Boolean).join(": ")),
      ...written(answer),
      make(
        "p",
        {},
        ...(answer.codes ?? []).map((code) => make("span", { class: "code" }, named(code))),
        answer.codes?.length && answer.by_rules
          ? make("span", { class: "quiet" }, "by rules")
          : null,
      ),
      make("p", { class: "quiet" }, effort),
      ...scores(answer),
      ...judgements(answer),
      pieces(answer, "section"),
      pieces(answer, "topic"),
      retrieval(answer),
      data.viewer
        ? make("a", { href: link, target: "_blank", rel: "noopener" }, "Open in inspect view")
        : null,
    );
  }

  function written(answer) {
    const source = make("p", { class: "quiet", role: "status" });
    const text = make("div", { class: "text" }, ...answer.pieces.map(piece));
    text.addEventListener("focusin", (event) => {
      source.textContent = event.target.title;
    });
    return [text, source];
  }

  function doubtful(one) {
    return one.verdict && one.verdict !== "supported";
  }

  function piece(one) {
    if (!one.verdict && !one.source) return document.createTextNode(one.text);
    const differs = one.differs?.length ? ` (${one.differs.join(", ")})` : "";
    const verdict = one.verdict
      ? `${one.verdict.replace("_", " ")}${differs}`
      : "nearest sentence read";
    const about = `${verdict}${one.source ? `: ${one.source}` : ""}`;
    return make(
      "mark",
      {
        class: one.verdict ?? "nearest",
        title: about,
        tabindex: "0",
        "aria-label": `${one.text}, ${about}`,
      },
      one.text,
    );
  }

  function scores(answer) {
    // the main measures with colours, the rest behind one fold
    const row = (place) => {
      const value = answer.marks[place];
      return [
        make("dt", {}, benchmark.measures[place].label),
        make(
          "dd",
          { class: colour(value, place) },
          value === undefined ? answer.why[place] : shown(value),
        ),
      ];
    };
    const known = benchmark.order.filter(
      (place) => answer.marks[place] !== undefined || answer.why[place] !== undefined,
    );
    const rest = known.slice(5);
    return [
      make("dl", { class: "scores" }, ...known.slice(0, 5).flatMap(row)),
      ...(rest.length
        ? [
            folded(
              formatCount(rest.length, "more measure"),
              make("dl", { class: "scores" }, ...rest.flatMap(row)),
            ),
          ]
        : []),
    ];
  }

  function judgements(answer) {
    // a line in words for each judge
    const line = (one) => {
      const {
        noun = one.scorer,
        graded,
        high,
      } = benchmark.measures.find((measure) => measure.name === one.scorer) ?? {};
      const value =
        one.verdict === null
          ? (one.reason ?? "no verdict")
          : `${shown(one.verdict)}${graded && high ? ` of ${high}` : ""}`;
      return `${one.grader} on ${noun}: ${one.said || value}`;
    };
    const judged = answer.judgements.map((one) =>
      folded(line(one), make("pre", {}, one.reasoning)),
    );
    const explained = Object.entries(answer.explanations).map(([scorer, text]) =>
      folded(scorer, make("pre", {}, text)),
    );
    return explained.length
      ? [...judged, folded(formatCount(explained.length, "explanation"), ...explained)]
      : judged;
  }

  function pieces(answer, kind) {
    const parts = answer.parts.filter((part) => part.kind === kind);
    if (!parts.length) return null;
    const line = (label, kept) => {
      const names = parts
        .filter(kept)
        .map((part) => part.name)
        .join(", ");
      return names ? make("p", {}, `${label}: ${names}`) : null;
    };
    return folded(
      `${parts.filter((part) => part.drawn).length} of ${parts.length} ${kind}s used`,
      line("Used", (part) => part.drawn),
      line("Read, not used", (part) => part.read && !part.drawn),
      line("Neither read nor used", (part) => !part.read && !part.drawn),
    );
  }

  function retrieval(answer) {
    if (!answer.read.length && !answer.missed.length) return null;
    const passages = answer.read.map((one) => ({ ...one, ...benchmark.passages[one.passage] }));
    const searches = answer.searches.map((one) =>
      make(
        "li",
        {},
        `loop ${one.loop}, ${one.tool}: ${[one.query].flat().join(", ")} (${one.found} found)`,
      ),
    );
    const goldMark = answer.by_text ? " (part of gold)" : " (gold)";
    const read = passages.map((one) =>
      make(
        "li",
        {},
        make(
          "span",
          { class: one.gold ? "gold" : null },
          `chunk ${one.chunk}${one.gold ? goldMark : ""}`,
        ),
        ` ${one.prefix}${one.loop ? `, loop ${one.loop}` : ""}: ${one.snippet}…`,
      ),
    );
    const gold = answer.gold
      ? `, with ${answer.gold - answer.missed.length} of ${formatCount(answer.gold, answer.by_text ? "evidence text" : "gold passage")}`
      : "";
    const missed = answer.by_text
      ? `Evidence, not read: ${answer.missed.join(" / ")}`
      : `Gold, not read: chunk ${answer.missed.join(", ")}`;
    return folded(
      `${formatCount(answer.read.length, "passage")} read${gold}`,
      answer.missed.length ? make("p", { class: "missed" }, missed) : null,
      make("ol", { class: "passages" }, ...read),
      searches.length ? folded("Searches", make("ol", { class: "passages" }, ...searches)) : null,
    );
  }
}

function titlesOf(samples) {
  // the first line of each input that no other sample has: many share an instruction
  const linesOf = (sample) =>
    sample.input
      .split("\n", 40)
      .map((line) => line.trim())
      .filter(Boolean);
  const ids = new Map();
  samples.forEach((sample) =>
    linesOf(sample).forEach((line) => {
      if (!ids.has(line)) ids.set(line, new Set());
      ids.get(line).add(sample.id);
    }),
  );
  const titleOf = (sample) => {
    const lines = linesOf(sample);
    const distinct = lines.find((line) => ids.get(line).size === 1);
    const about = [sample.company, sample.period].filter(Boolean).join(" · ");
    return distinct || [about, lines[0]].filter(Boolean).join(": ") || sample.id;
  };
  return new Map(samples.map((sample) => [sample, titleOf(sample)]));
}
