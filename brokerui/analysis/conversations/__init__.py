"""Conversations of hosted instances one by one: both sides, what each holds, and what happened.

Begin with `sides`, both ends and their messages. `past` gathers what happened: the `history` of the event log and the
`trouble` of the event tables as one `timeline`; `decisions` say what routing decided. A body is read by `bodies` and
shown by `body_views`, as `body_text` or `hex_lines`, with `masking` over what looks like a secret; `services` note each
look. `as_json` gives the history to programs.
"""
