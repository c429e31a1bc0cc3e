"""The map: the estate as a picture of servers, databases and routes, or as a table.

Begin with `views`. `map_query` reads the address; `network` adds up where routes lead, and `scope` is the part of the
estate that is shown. `detail_level` then takes `detail` or `summary` (with `name_groups`) and gives a `plan`: boxes and
lines without coordinates, on which `badges` and `draft_marks` put what findings and a draft say. `drawing` makes a
`picture` of it by `box_metrics`, and `style` is its look outside of the page. `listing`, `summary_text` and `panel` say
the same in words; `reach` and `search` find things on the map, `saved_views` keep it.
"""
