"""Alerts: rules about the figures that pages show, which a worker evaluates once a minute and announces.

Begin with `tasks`, the clock. It asks `services`, which look once (`observing`, with one `observed_…` module for each
source of figures), have each of the `rules` evaluated (`evaluation`), and open and close alerts (`models`). Then
`deliveries` decide by `announcing` which alerts are told, put them in words (`content`, `wording`), and send them to
the `channels`: `webhooks`, or `messengers` in a process of their own (`messenger_process`, kept to allowed
`destinations` by `messenger_guard`). Users write rules and silences in `rule_writing`; pages and REST read in
`selectors`.
"""
