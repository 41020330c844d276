"""Words that stand for the opposite of each other: rose and fell, Monday and Friday."""

from collections import defaultdict

_OPPOSITES = (
    ("accelerate accelerated accelerating advance advanced advancing appreciation beat better boost boosted climb climbed "
     "climbing climbs elevated escalate escalated escalating expand expanded expanding expands "
     "expansion gain gained gains greater grew grow growing grown grows growth higher improve improved improvement improvements "
     "improves improving increase increased increases increasing jump jumped lift lifted outpaced raise raised raises raising "
     "rebound rebounded recover recovered recovery rise risen rises rising rose soar soared strengthen strengthened strengthening "
     "stronger surge surged up uptick upturn widen widened widening",
     "contract contracted contraction cut cuts cutting decline declined declines declining decrease decreased decreases "
     "decreasing depreciation depressed deteriorate deteriorated deterioration diminish diminished dip dipped down downturn dampened "
     "drop dropped dropping drops ease eased easing fall fallen falling falls fell fewer less lower lowered lowering "
     "narrow narrowed narrowing plunge plunged reduce reduced reduces reducing reduction reductions shrank shrink shrinking "
     "slid slide slip slipped slipping slow slowdown slowed slowing softer trim trimmed weaken weakened weaker worse worsen "
     "worsened worsening"),
    ("above exceed exceeded exceeding exceeds over surpass surpassed surpassing topped beat outpaced more",
     "below under miss missed short less fewer"),
    ("before prior previous earlier formerly ago", "after following subsequent later next upcoming"),
    ("first initial start starts started starting begin begins began beginning commence launch launched",
     "last final end ends ended ending finish finished conclude concluded stop stopped"),
    ("strong stronger strength robust solid", "weak weaker weakness soft softer sluggish"),
    ("high highest maximum most largest biggest top", "low lowest minimum least smallest bottom"),
    ("positive favorable favourable optimistic", "negative unfavorable unfavourable adverse pessimistic"),
    ("profit profits profitable profitability earned", "loss losses unprofitable lost"),
    ("all every everyone entire always both fully complete completely whole everything",
     "none nobody never nothing partially partial only some few rarely"),
    ("include includes included including", "exclude excludes excluded excluding except"),
    ("accept accepts accepted agree agrees agreed approve approved support supports supported allow allows allowed embrace favor",
     "reject rejects rejected refuse refuses refused disagree disagrees disagreed deny denied oppose opposes opposed disapprove "
     "forbid ban banned prohibit prevent prevents avoid avoided"),
    ("buy buys bought purchase purchased acquire acquired", "sell sells sold sale divest divested"),
    ("easy easily simple simpler", "difficult hard complex complicated"),
    ("same similar identical", "different differs distinct"),
    ("good great excellent best better", "bad poor terrible worst worse"),
    ("new latest recent modern", "old outdated traditional former"),
    ("success successful succeed succeeded win won victory", "fail failed failure unsuccessful lose defeat defeated"),
    ("fast quick quickly rapid rapidly immediate immediately", "slow slowly gradual gradually delayed"),
    ("expensive costly", "cheap affordable inexpensive"),
    ("able can possible", "cannot impossible unable"),
    ("adjusted", "unadjusted"),
    ("domestic local", "foreign international overseas"),
    ("public", "private"), ("long", "short"), ("early", "late"), ("open opened opening opens reopen reopened", "close closed closes closing closure shut"), ("free", "paid"), ("safe", "dangerous unsafe"),
    ("legal", "illegal"), ("direct directly", "indirect indirectly"), ("available", "unavailable"), ("internal inside", "external outside"),
    ("many multiple several numerous", "few one single sole"),
    ("big large major significant substantial", "insignificant little minor small"),
    ("enjoy enjoys like likes love loves prefer", "dislike dislikes hate hates"),
    ("remember", "forget forgot"),
    ("confirm confirms confirmed", "cancel canceled cancelled deny denied"),
    ("arrive arrives arrived come", "go leave leaves left"),
    ("add added adding", "remove removed removing"),
    ("temporarily temporary", "permanent permanently"),
    ("mandatory required", "optional voluntary"),
    ("glad happy", "sad unhappy upset"),
    ("q1", "q2", "q3", "q4", "fy"), ("h1", "h2"), ("year-over-year", "quarter-over-quarter"),
    ("effective efficient", "ineffective inefficient"),
    ("certain confident sure", "doubtful uncertain unsure"),
    ("crucial essential important necessary", "trivial unimportant unnecessary"),
    ("exactly precisely", "about almost approximately around nearly roughly"),
    ("cold colder cool cooler", "hot hotter warm warmer"),
    ("employed hire hired hiring", "fired resign resigned unemployed"),
    ("ahead", "behind"),
    ("keep keeping keeps kept retain retained retaining", "discard discarded abandon abandoned remove removed removes removing"),
    ("headwind headwinds", "tailwind tailwinds"), ("inflow inflows", "outflow outflows"), ("surplus", "deficit shortage shortfall"),
    ("upgrade upgraded upgrades", "downgrade downgraded downgrades"), ("inbound", "outbound"), ("upstream", "downstream"),
    ("tight tighten tightened tightening tighter", "loose loosen loosened looser relax relaxed"),
    ("encourage encouraged encourages encouraging", "discourage discouraged discourages"),
    ("import imported imports", "export exported exports"), ("majority", "minority"), ("maximize maximizes maximizing", "minimize minimizes minimizing"),
    ("broad broader broadly wide widely", "narrow narrowly"), ("young younger", "elderly old older"), ("encoder", "decoder"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), ("afternoon", "evening night tonight", "morning"),
    ("january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december"),
    ("annual annually yearly", "daily", "hourly", "monthly", "quarterly", "weekly"), ("long-term", "short-term"),
    ("men", "women"), ("brother father husband son", "daughter mother sister wife"),
)  # fmt: skip
"""Words of each line stand for the opposite of those beside them."""

SIDES: dict[str, set[tuple[int, int]]] = defaultdict(set)
"""Lines and sides of `_OPPOSITES` on which a word stands."""

for _line, _pair in enumerate(_OPPOSITES):
    for _side, _words in enumerate(_pair):
        for _word in _words.split():
            SIDES[_word].add((_line, _side))

[[QUARTERS, FULL_YEAR]] = SIDES["fy"]
[[_HALVES, _]] = SIDES["h1"]
[[BASES, YEAR_EARLIER]] = SIDES["year-over-year"]
[[_, QUARTER_EARLIER]] = SIDES["quarter-over-quarter"]
PERIODS = frozenset([QUARTERS, _HALVES, BASES])
METRIC_LINES = PERIODS.union(
    *(
        {line for line, _ in SIDES[word]}
        for word in ("rise", "above", "strong", "profit", "adjusted")
    )
)
"""Lines of opposites for metrics; a subject of one word suffices."""
JUDGEMENTS = frozenset(
    word
    for word in SIDES
    if word.startswith(("better", "deteriorat", "improv", "worse", "strength", "weak"))
)
"""Words that say whether a change is good, not which way it went."""


def has_opposite(word: str) -> bool:
    """Return whether a word in lower case has an opposite in `_OPPOSITES`."""
    return word in SIDES
