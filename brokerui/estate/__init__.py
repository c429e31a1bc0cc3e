"""The live estate: its rows, its versions, and the services that change it.

Begin with `selectors`, which read a version (from `cache`, or `packing`), and `services`, which write one: `edit_list`
applies edits, `difference` finds the rows that differ, by `columns` and `tables`, and `writing` writes them, with
`lists`, `numbering` and `pairs`. Each write makes one version and one entry of the `audit` (`audit_changes`,
`changed_fields`, read by `audit_reading`), and `signals` tell other packages. `rows` and `history` give the estate and
its versions as they are kept; `search`, `refs` and `shared_prefix` are about the names of its objects.
"""
