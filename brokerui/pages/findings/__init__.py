"""The pages of findings: problems of the estate, worst first.

Begin with `views`: the `listing`, filtered by `filtering`, under the sentence of `headline`. `code_docs` is the page of
one code. `suppressions` is where somebody answers for findings, by `forms`, named by `finding_ids`; `context` gives the
number beside *Findings* in the navigation.
"""
