"""The effect of a change: which conversations get worse, better, or end elsewhere, shown before anything is saved.

Begin with `change` (the two estates, before and after) and `effect` (what a page shows of them). In the order of work:
`comparison` has `ends` compare all conversations, a piece at a time, with `answers` and `set_counts` for those whose
answers get lost; `background`, `job_kinds`, `packing` and `models` let a worker do it, and keep the result. `effect`
turns the result into `rows`, each with its part of the newest traffic (`weights`) and with one of the `conversations`
that it stands for, and adds messages that are `held`; `wording` and `kinds` put it in words. `consent` asks the user,
and `saving` writes the live estate. Beside them, `report` and `diff_report` give REST the complete comparison, and
`finding_changes` the findings that a draft brings or mends.
"""
