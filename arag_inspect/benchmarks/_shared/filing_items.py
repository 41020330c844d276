"""The items of the SEC's forms: numbers, titles, and how their headings begin."""

import re
from typing import NamedTuple

RISK_FACTORS = "Risk Factors"
MDA = "Management's Discussion and Analysis"
FRONT = "Cover and Contents"
BACK = "Signatures and Exhibits"


_LETTERS = re.compile(r"[^a-z]")
_STATEMENTS = re.compile(
    r"financialstatements|financialinformation|balancesheets?|statementsof(?:consolidated)?(?:income|earnings|operations)"
)
_LONGEST = 150
"""Longest heading that names financial statements, in characters."""


class FilingLine(NamedTuple):
    """A paragraph, heading or table row of a document."""

    page: int
    text: str


class Heading(NamedTuple):
    """Start of a part of a document."""

    line: int
    """Index of its first line."""

    title: str


class Item(NamedTuple):
    number: str
    title: str
    keys: tuple[str, ...]
    """Start of the heading, in lower case without spaces."""

    def fits(self, heading: str) -> bool:
        """Return whether a heading, without its number, is that of the item.

        For financial statements, it may begin with the company's name or a word such as
        `Unaudited`, or name the first statement.
        """
        letters = squeeze(heading)
        if letters.startswith(self.keys):
            return True
        is_statements = self.title == "Financial Statements" and len(heading) <= _LONGEST
        return is_statements and _STATEMENTS.search(letters) is not None


FORM_10K = (
    Item("1", "Business", ("business", "descriptionofbusiness")),
    Item("1A", RISK_FACTORS, ("riskfactors",)),
    Item("1B", "Unresolved Staff Comments", ("unresolvedstaffcomments",)),
    Item("1C", "Cybersecurity", ("cybersecurity",)),
    Item("2", "Properties", ("properties", "descriptionofproperty")),
    Item("3", "Legal Proceedings", ("legalproceedings",)),
    Item("4", "Mine Safety Disclosures", ("minesafety", "submissionofmatters", "reserved")),
    Item("5", "Market for Common Equity", ("marketfor",)),
    Item("6", "Selected Financial Data", ("selected", "reserved", "removedand")),
    Item("7", MDA, ("managementsdiscussion", "managementdiscussion")),
    Item("7A", "Market Risk", ("quantitativeandqualitative", "quantitativeandqualititative")),
    Item("8", "Financial Statements", ("financialstatements", "consolidatedfinancial")),
    Item("9", "Disagreements with Accountants", ("changesinanddisagreements",)),
    Item("9A", "Controls and Procedures", ("controlsandprocedures",)),
    Item("9B", "Other Information", ("otherinformation",)),
    Item("9C", "Foreign Jurisdictions", ("disclosureregardingforeign",)),
    Item("10", "Directors and Governance", ("directors",)),
    Item("11", "Executive Compensation", ("executivecompensation",)),
    Item("12", "Security Ownership", ("securityownership",)),
    Item("13", "Related Transactions", ("certainrelationships",)),
    Item("14", "Principal Accountant Fees", ("principalaccount",)),
    Item("14", "Exhibits and Schedules", ("exhibit", "financialstatementschedules")),  # to 2002
    Item("15", "Exhibits and Schedules", ("exhibit", "financialstatementschedules")),
    Item("16", "Form 10-K Summary", ("formksummary", "ksummary")),
)
FORM_20F = (
    Item("3D", RISK_FACTORS, ("riskfactors",)),
    Item("4", "Business", ("informationon",)),
    Item("4A", "Unresolved Staff Comments", ("unresolvedstaffcomments",)),
    Item("5", MDA, ("operatingandfinancialreview",)),
    Item("6", "Directors and Governance", ("directors",)),
    Item("8", "Financial Information", ("financialinformation",)),
    Item("11", "Market Risk", ("quantitativeandqualitative",)),
    Item("12", "Description of Securities", ("description",)),
    Item("17", "Financial Statements", ("financialstatements",)),
    Item("18", "Financial Statements", ("financialstatements",)),
    Item("19", "Exhibits and Schedules", ("exhibits",)),
)
FORM_40F = (
    Item("", "Business", ()),
    Item("", RISK_FACTORS, ()),
    Item("", "Dividends", ()),
    Item("", "Directors and Governance", ()),
    Item("", MDA, ()),
    Item("", "Controls and Procedures", ()),
    Item("", "Financial Statements", ()),
)
"""Parts of a Canadian annual information form, which has no numbered items."""

FORM_10Q = (
    Item("1", "Financial Statements", ("financialstatements", "consolidatedfin", "condensed")),
    Item("2", MDA, ("managementsdiscussion", "managementdiscussion")),
    Item("3", "Market Risk", ("quantitativeandqualitative",)),
    Item("4", "Controls and Procedures", ("controlsandprocedures",)),
    Item("1", "Legal Proceedings", ("legalproceedings",)),
    Item("1A", RISK_FACTORS, ("riskfactors",)),
    Item("2", "Sales of Equity Securities", ("unregistered", "issuerpurchases", "purchases")),
    Item("5", "Other Information", ("otherinformation",)),
    Item("6", "Exhibits", ("exhibit",)),
)
FULL_TITLES = {
    "descriptionofthebusiness": "Business",
    "generaldevelopmentofthebusiness": "Business",
    "dividends": "Dividends",
    "dividendsanddistributions": "Dividends",
    "directorsandofficers": "Directors and Governance",
    "riskfactors": RISK_FACTORS,
    "managementsdiscussionandanalysis": MDA,
    "managementsdiscussionandanalysisoffinancialconditionandresultsofoperations": MDA,
    "managementsdiscussionandanalysisofresultsofoperationsandfinancialcondition": MDA,
    "quantitativeandqualitativedisclosuresaboutmarketrisk": "Market Risk",
    "financialstatementsandsupplementarydata": "Financial Statements",
    "controlsandprocedures": "Controls and Procedures",
    "legalproceedings": "Legal Proceedings",
    "unresolvedstaffcomments": "Unresolved Staff Comments",
    "consolidatedfinancialstatements": "Financial Statements",
    "reportofindependentregisteredpublicaccountingfirm": "Financial Statements",
}
"""Headings without item numbers, for filings that do not number them."""


def squeeze(text: str) -> str:
    """Return the letters of a heading in lower case, on which PDF readers agree."""
    return _LETTERS.sub("", text.lower())
