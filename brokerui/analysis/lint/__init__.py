"""Findings of lint in an estate, and the findings that somebody answers for.

Begin with `selectors`: `findings_for` looks a small estate over at once, and reads the findings of a large one, which a
worker keeps (`services`, `job_kinds`, `models`) after each new version (`tasks`). `estate_target` names the estate and
the moment of that work, `stored_findings` are findings as pages have them, `remedy_offer` is the T-SQL against one;
`finding_text` writes them to a terminal, and `error_badge` keeps their number for the navigation.
"""
