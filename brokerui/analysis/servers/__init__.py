"""Real servers: the rows collected of each at a moment, and the conversations that it leaves over.

Begin with `pasting`: a pasted text becomes sums (`sums`, by the statements of `asking_sql`), which `understanding` lays
beside the estate. `services` keep them (`models`, `sums_json`), and `selectors` read them. `observed` gives a diagnosis
the live estate with the rows pasted since, and `logged` the errors of the servers' logs. Conversations that are left
over: `leak_reading` reads a `leak`, `leak_size` and `leak_words` say how large it is and why, `clean_up_plan` what a
script would end.
"""
