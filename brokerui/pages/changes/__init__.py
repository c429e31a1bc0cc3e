"""The pages of drafts: editing, effect, T-SQL, review, and the versions that they make.

Begin with `views`, all drafts and one of them (`page`); `viewed_draft` finds the draft that a page is about, and
`writing` does every write. A draft is edited in the panel (`panels`, `draft_panel`, `acts`), by forms (`editing` with
`route_editor`, `row_editor`, `draft_form` and `edit_field`; a new route starts in `connect` and `route_start`, with
`route_facts` beside its fields), in a table (`rows`, `edited_rows`, `pasted_rows`), or on the map (`drawn_edits`). Then
follow its effect (`effect_views` with `effect_line`, `effect_page`, `ways` and `way_maps`), its T-SQL (`sql_views`,
`sql_page`), its review (`review_views`, `review_page`) and the version that it became (`version_views`,
`version_page`). `copying` and `remedy` bring edits from elsewhere; `forms` has the fields of all.
"""
