"""The page *Delayed*: conversations whose messages could not be delivered, by cause, and the acts against each cause.

Begin with `views`, which shows the `page`: `groups` of hosted instances, and messages `collected` from real servers. An
act on one conversation or queue is in `actions`; acts on several rows are asked by the forms that `choosing` reads, and
shown before and after by `bulk`: `bulk_actions` retry and switch on, `ending` ends, `failing_over` fails over,
`drafting` makes a draft of the remedies. `draining` estimates before an act how long its messages will flow, and shows
them flow.
"""
