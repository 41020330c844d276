"""The sentences of a report: headline, findings, failures, advice and notices."""
