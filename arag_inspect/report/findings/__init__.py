"""What a report says in words: headline, findings, failures, advice and notices."""
