"""An answer to "where does this conversation go, and why?" in an operator's words.

Begin with `wording`, the whole answer for a conversation that begins at an `origin`: each hop by `hop_wording`, each
rule by `rules`, each outcome by `outcome_wording`, `reason_wording` and `local_address`, the way back by
`return_wording`, what the answer hangs on by `missing_statements`, what the server itself showed by `collected`. Next
steps are tried, not guessed: `tried_advice`, `locating_remedy` and `suggested_changes`; `turns` are the versions in
which the answer changed. `as_text` and `as_json` write all of it. For a conversation that waits, `looks` go through its
`evidence` in order, and `holding` says what routing does meanwhile.
"""
