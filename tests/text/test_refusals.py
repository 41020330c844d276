"""Tests of sentences that decline to answer."""

import pytest

from arag_inspect.text.refusals import begins_by_declining, declines
from tests.linear import is_linear

REFUSALS = {
    "English": """
        I cannot answer this question.
        The documents do not mention any dividend.
        NOT IN DOCUMENTS
        Not in the provided documents.
        Not disclosed.
        No adviser is named in the memo.
        The memo does not name an adviser.
        The fee is not disclosed in the release.
        The auditor is not named.
        The filing is silent on this.
        The release states the margin and the maturity, but not the fee.
        The company has not provided this figure.
        Management declined to comment on tariffs, so the cost is not given.
        The evidence does not mention any dividend.
        The documents do not state the fee, but they give the margin of 2%.
        The documents state the margin, but the fee is not stated.
        There is no mileage rate mentioned.
        There is no warranty period specified for the P40.
        No weight is given for the P40.
        The weight of the P40 is not given.
        The policy gives no mileage rate.
        The handbook does not mention a bonus.
        The manual says nothing about the weight.
        Sorry, that is not covered.
        You have not provided the balance sheet.
    """,
    "German": """
        Ich kann diese Frage leider nicht beantworten.
        Das weiß ich nicht.
        Die bereitgestellten Dokumente enthalten keine Angaben zur Dividende.
        Der Bericht nennt diesen Wert nicht.
        Die Höhe geht aus den vorliegenden Unterlagen nicht hervor.
        Dazu liegen keine Informationen vor.
        Die Frage lässt sich anhand des Kontexts nicht beantworten.
        Nicht in den Dokumenten enthalten.
        Leider enthält der Kontext hierzu keine Information.
        Diese Information ist in den Quellen nicht vorhanden.
        Nicht angegeben.
    """,
    "French": """
        Je ne peux pas répondre à cette question.
        Je n’ai pas trouvé cette information.
        Les documents fournis ne mentionnent pas le dividende.
        Le contexte ne contient aucune information à ce sujet.
        Ce montant n'est pas indiqué dans les documents.
        Aucune information disponible.
        Il est impossible de répondre.
        Pas dans les documents.
        Non précisé.
        Cette information n'est pas disponible.
    """,
    "Spanish": """
        No puedo responder a esta pregunta.
        No lo sé.
        Los documentos no mencionan el dividendo.
        El importe no se indica en los documentos.
        No hay información suficiente.
        No es posible determinar el importe.
        No está en los documentos.
        No disponible.
        La información no está disponible.
    """,
    "Italian": """
        Non posso rispondere a questa domanda.
        Non lo so.
        I documenti forniti non menzionano il dividendo.
        L'importo non è indicato nei documenti.
        Non ci sono informazioni sufficienti.
        Non è possibile determinare l'importo.
        Non presente nei documenti.
        Non specificato.
        L'informazione non è disponibile.
    """,
    "Dutch": """
        Ik kan deze vraag niet beantwoorden.
        Ik weet het niet.
        De documenten vermelden geen dividend.
        Het bedrag staat niet in de documenten.
        Er is geen informatie beschikbaar.
        De vraag kan niet worden beantwoord.
        Niet in de documenten.
        Niet vermeld.
        Onbekend.
    """,
    "Portuguese": """
        Não posso responder a esta pergunta.
        Não sei.
        Os documentos não mencionam o dividendo.
        O valor não consta nos documentos.
        Não há informações suficientes.
        Não é possível determinar o valor.
        Não está nos documentos.
        Não disponível.
        Essa informação não está disponível.
    """,
}
ANSWERS = """
    It is not stated, but tariffs will cost about $9 million.
    The documents do not say so directly, but the auditor is KPMG LLP.
    The documents do not state the fee directly; it was 1.2%.
    Although the memo does not name an adviser, it is Rothschild.
    The company did not report a loss in 2023.
    No dividend was declared in 2023.
    Terms were not disclosed.
    No loss is reported for 2023.
    There was no impairment reported in 2023.
    There is no charge for cancellations.
    The policy does not cover flood damage.
    The policy sets no limit for hotels.
    Sorry, the fee is 5%.
    The notes are not guaranteed by the parent.
    Revenue rose by 4 % in 2023, and costs did not change.
    I expect that the margin will not fall.
    Der Umsatz stieg um 4 %, die Kosten änderten sich nicht.
    Die Gesellschaft hat keine Schulden.
    Der Vorstand kann die Dividende nicht vor Mai zahlen.
    Im Bericht steht ein Umsatz von 5 Mio. Euro.
    Le chiffre d'affaires a augmenté de 4 %, sans dette.
    La société n'a pas de dette.
    Les coûts ne changent pas.
    Los ingresos no cambiaron en 2023.
    La sociedad no tiene deuda.
    I ricavi non sono cambiati nel 2023.
    La società non ha debiti.
    De omzet steeg met 4 % en de kosten stegen niet.
    De onderneming heeft geen schulden.
    Het rapport geeft een winst van 5 miljoen, niet 6.
    As receitas não mudaram em 2023.
    A sociedade não tem dívida.
    No.
    Nein, keine.
    None.
"""
LINES = [
    (language, line.strip())
    for language, text in REFUSALS.items()
    for line in text.strip().splitlines()
]


@pytest.mark.parametrize(("language", "sentence"), LINES)
def test_refusal_is_recognised_in_language(language: str, sentence: str) -> None:
    assert declines(sentence), language
    assert declines(sentence.upper()), language


@pytest.mark.parametrize("sentence", [line.strip() for line in ANSWERS.strip().splitlines()])
def test_answer_with_negation_is_no_refusal(sentence: str) -> None:
    assert not declines(sentence)


@pytest.mark.parametrize(
    "answer",
    [
        "Great question! The documents do not state the weight of the P40.",
        "Hello! Thanks for your question. That is not specified.",
        "Gute Frage! Die Dokumente enthalten keine Angaben dazu.",
        "Bonjour, les documents ne mentionnent pas le dividende.",
        "¡Buena pregunta! Los documentos no mencionan el dividendo.",
        "Purtroppo non lo so.",
        "Helaas, ik weet het niet.",
        "Olá! Não há informações suficientes.",
        "The documents do not give the fee. The report of 2019 has 12 pages.",
        "The documents do not give the fee. It was last reported in 2019.",
        "",
    ],
)
def test_answer_begins_by_declining_after_greeting(answer: str) -> None:
    assert begins_by_declining(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The documents do not say how much was used. It is probably around 12,600 MWh.",
        "The documents do not give the fee. It was 1.2%.",
        "The policy gives no rate. I would estimate about $5 million.",
        "Die Dokumente enthalten keine Angaben dazu. Es sind wohl etwa 12.600 MWh.",
        "Les documents ne mentionnent pas le prix. Il est probablement de 40 euros.",
        "Los documentos no mencionan el precio. Probablemente son 40 euros.",
        "I documenti non menzionano il prezzo. Sono probabilmente 40 euro.",
        "De documenten vermelden geen prijs. Het is waarschijnlijk 40 euro.",
        "Os documentos não mencionam o preço. São provavelmente 40 euros.",
        "Great question! The fee is 5%.",
    ],
)
def test_answer_does_not_decline_when_figure_follows(answer: str) -> None:
    assert not begins_by_declining(answer)


@pytest.mark.parametrize(
    "words",
    [
        "die Dokumente ",
        "the documents ",
        "ich kann ",
        "no se ",
        "ne ",
        "although, ",
        "no fee, so it ",
        "sorry ",
        "there is no fee ",
        "the policy ",
        "probably ",
    ],
)
def test_refusals_are_sought_in_linear_time(words: str) -> None:
    assert is_linear(lambda length: declines(words * length), 20_000)
    refusal = "I do not know. "
    assert is_linear(lambda length: begins_by_declining(refusal + words * length), 20_000)
