"""Records of the hosted instances: counters per minute, exceptional events, and, switched on, all events.

Begin with `recording`: brokers give it their events, and `collecting` those of endpoints. It counts them (`counting`,
`queue_flows`), keeps the `exceptional` ones, shows messages as spans (`message_spans`), and with the event log switched
on writes all of them into a `stage`, in the columns of `schema`. `services` add all of this to the tables (`models`);
`sampling` looks once a minute for the `samples`; `publishing` makes Parquet of full stages, which `reading` searches
for a conversation. `selectors` read for pages and REST, `metrics` for a monitoring system (`product_counters`,
`exposition`).
"""
