"""Errors in the figures of a summary."""

import re
from random import Random

from ..figures import Quantity
from ..figures.extract import extract_amounts
from ..text.sentences import split_sentences
from ._edits import Edit, PerturbationContext, apply_edits

_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")

_SCALES = {
    "thousand": "million",
    "million": "billion",
    "millions": "billions",
    "billion": "million",
    "billions": "millions",
    "trillion": "billion",
    "mln": "bln",
    "bln": "mln",
    "mn": "bn",
    "bn": "mn",
    "mm": "bn",
    "k": "m",
    "m": "b",
    "b": "m",
}

_SCALE = re.compile(rf"(?<=[\d\s-])(?:{'|'.join(sorted(_SCALES, key=len, reverse=True))})\b", re.I)

_TRIES = 40

_AS_RESULT = {
    (
        r"\b(?:is|are|was|were) (?:now )?"
        r"(?:expected|projected|forecast|anticipated|targeted) to be\b"
    ): "was",
    r"\b(?:would|will|should) (?:now )?(?:likely )?be\b": "was",
    (
        r"(?<!if we )\b(?:now )?"
        r"(?:expect|anticipate|project|forecast|estimate|plan|intend|target|see|assume)s?\b"
    ): "reported",
    (
        r"\b(?:now )?(?:expecting|anticipating|projecting|forecasting|estimating|planning"
        r"|targeting|seeing|guiding(?: to)?)\b"
    ): "reporting",
    (
        r"\b(?:expected|anticipated|projected|forecasted|estimated|planned|targeted|guided)\b"
    ): "reported",
    r"\b(?:guidance|outlook|forecast|expectations?|target)\b": "result",
    r"\b(?:would|will|should)\b": "did",
    r"\bto be\b": "at",
    r"\blikely |\bon track ": "",
}
"""Words of an outlook and their replacements in a report of results, tried in this order."""


def change_number(text: str, context: PerturbationContext) -> str | None:
    """Replace one figure by a similar value that is not in the source."""
    numerals = set(_NUMERAL.findall(context.source)) | set(_NUMERAL.findall(text))
    chance = context.random(text)
    for figure in _shuffle(extract_amounts(text), chance):
        match = _NUMERAL.search(text, *figure.span)
        if match is None:
            continue
        for _ in range(_TRIES):
            new = _change_numeral(match[0], chance, only_down=figure.value_high is not None)
            if new not in numerals and float(new.replace(",", "")) > 0:
                return apply_edits(text, [Edit(*match.span(), new)])
    return None


def change_scale(text: str, context: PerturbationContext) -> str | None:
    """Replace millions by billions, or the reverse."""
    chance = context.random(text)
    for figure in _shuffle(extract_amounts(text), chance):
        edits = [
            Edit(*match.span(), _match_case(match[0], _SCALES[match[0].lower()]))
            for match in _SCALE.finditer(text, *figure.span)
        ]
        if figure.scale != "one" and edits:
            return apply_edits(text, edits)
    return None


def give_stale_figure(text: str, context: PerturbationContext) -> str | None:
    """Replace this year's figure of a metric by last year's.

    Last year's figure is in the summary, where the two are swapped, or in a sentence of the source
    that also contains this year's.
    """
    figures = extract_amounts(text)
    current = [
        figure
        for figure in figures
        if figure.metric and not figure.period.prior and not figure.change
    ]
    for figure in _shuffle(current, context.random(text)):
        for prior in figures:
            if _is_prior(prior, figure) and prior.sentence == figure.sentence:
                swap_edits = [Edit(*figure.span, _write_figure(prior, text))]
                return apply_edits(
                    text, [*swap_edits, Edit(*prior.span, _write_figure(figure, text))]
                )
        stale = _prior_figure_text(_write_figure(figure, text), figure, context.source)
        if stale:
            return apply_edits(text, [Edit(*figure.span, stale)])
    return None


def give_guidance_as_result(text: str, context: PerturbationContext) -> str | None:
    """Report the outlook as a result."""
    chance = context.random(text)
    guidance = [figure for figure in extract_amounts(text) if figure.status == "guidance"]
    for figure in _shuffle(guidance, chance):
        start, end = figure.sentence
        clause = text[start:end]
        for pattern, result in _AS_RESULT.items():
            clause = re.sub(pattern, result, clause, flags=re.I)
        repeated_amounts = [
            amount
            for amount in extract_amounts(clause)
            if _write_figure(amount, clause) == _write_figure(figure, text)
        ]
        if repeated_amounts and all(amount.status != "guidance" for amount in repeated_amounts):
            return apply_edits(text, [Edit(start, end, clause)])
    return None


def _shuffle(figures: list[Quantity], chance: Random) -> list[Quantity]:
    return chance.sample(figures, len(figures))


def _change_numeral(numeral: str, chance: Random, *, only_down: bool) -> str:
    decimals = len(numeral.partition(".")[2])
    value = float(numeral.replace(",", ""))
    factor = (
        chance.uniform(0.5, 0.9) if only_down or chance.random() < 0.5 else chance.uniform(1.1, 1.5)
    )
    moved = value * factor
    if not decimals and value < 10:
        moved = value + chance.choice([-3, -2, -1] if only_down else [-3, -2, -1, 1, 2, 3])
    new = f"{moved:,.{decimals}f}" if "," in numeral else f"{moved:.{decimals}f}"
    return new.removeprefix("0") if numeral.startswith(".") else new


def _match_case(old: str, new: str) -> str:
    if old.isupper():
        return new.upper()
    return new.capitalize() if old[0].isupper() else new


def _write_figure(figure: Quantity, text: str) -> str:
    return text[figure.span.start : figure.span.end]


def _is_prior(prior: Quantity, figure: Quantity) -> bool:
    return (
        prior.period.prior
        and not prior.change
        and (prior.metric, prior.unit) == (figure.metric, figure.unit)
        and (prior.value_high is None) == (figure.value_high is None)
        and (prior.value, prior.scale) != (figure.value, figure.scale)
    )


def _prior_figure_text(figure_text: str, figure: Quantity, source: str) -> str | None:
    """Return last year's figure from a sentence of the source that contains this year's."""
    for start, end in split_sentences(source):
        sentence = source[start:end]
        if figure_text not in sentence:
            continue
        for prior in extract_amounts(sentence):
            if _is_prior(prior, figure) and _write_figure(prior, sentence) != figure_text:
                return _write_figure(prior, sentence)
    return None
