"""The parts that all pages share: the frame around them, their lists, and how they keep up.

The frame: `context` gives every template the `navigation` and the `theme`; `estate_bar` and `draft_bar` say which
estate a page shows, `estate_document` and `estate_urls` give it as a file. Lists: `columns` are described once,
`list_query` and `filtered_page` read the address, and `view_acts` keep it as a saved view. Keeping up: `live` sends the
changed piece of a page, `shared_pieces` and `unchanged` spare the work where nothing has changed. Addresses: `links`,
`former_addresses`, `moment_addresses`. `confirm_save` asks before a save, and `health` answers a monitoring system.
"""
