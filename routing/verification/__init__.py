"""A second look at the certificate of a change: another reading of the rules, to disagree with the first.

It shares no code with the rules, the classes and the differential (held by import-linter, see pyproject.toml), reads
documents as plain JSON, and prefers being obviously right to being fast.

- `certificate_file`: what a certificate claims, read strictly
- `values`, `document`: addresses, identifiers and times; a document as the rules read it
- `evaluation`: the endings of one conversation, rule by rule
- `enumeration`: every class of conversations of two documents
- `untouched`: service names for which two documents say the same
- `checking`: the first claim that does not hold
"""
