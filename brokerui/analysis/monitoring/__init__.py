"""Messages of hosted instances as they wait, arrive and leave: now, and over time.

Begin with `waiting`, all conversations with messages to send, by the reason for which they wait. `evidence` reads what
the database, the workers and the endpoint know of them, `held` puts into words what holds each, and `held_offers` what
would mend it; `collected` and `collected_offers` do the same for real servers. `service_queues` are the queues as they
are now, with `arrived`, `off_queues` and `queue_readers`. Over time, `history` gives the samples of a span (`spans`) as
series, and `finished` keeps those of moments that are over; `rates`, `roles`, `forwarding` and `duplicates` are figures
of their own.
"""
