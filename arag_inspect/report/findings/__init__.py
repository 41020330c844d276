"""What a report says in words: headline, findings, failures and advice."""
