"""Drafts: lists of edits on a version of the live estate, from the first edit to the version that applying makes.

Begin with `estate_view`, the estate that a page or a resource is about, and `selectors`, which read drafts. `services`
make a draft and add its edits; `writing` is common to all writes, and `splice` keeps each step small for undo and redo.
Then in the order of its life: `rebasing` onto a newer version, `review`, `applying`, and `rolling_back`. `draft_sql`
and `edit_sql` write a draft as T-SQL and read it back (`kept_script`), and `deployment` orders the T-SQL by server.
`edit_wording`, `step_wording` and `review_wording` say all of it in words, `marks` on the pages. `presence` knows which
users have a draft open.
"""
