"""The overview: the causes that need a person now, the faults that will, and the checks.

Begin with `overview`, which gathers all of it at one moment. `held_rows`, `logged_causes` and `real_servers` bring
rows; `causes` orders them, `forthcoming` adds faults that hold nothing back yet, and `checks` are the places it has
looked at, each with its moment. `entries` and `wording` put into words the causes that are shown, and `cause_estimates`
say how long their messages need afterwards. `alerts` keeps their number for the bar of every page, `diagnosis` gives
them to programs, and `server_causes` are those of one real server.
"""
