"""The broker that runs: SEND, RECEIVE and the other verbs for applications, and the workers and endpoints behind them.

Begin with `services`, the verbs that an application calls; `verbs/` has their parts. Each asks `broker_cache` for the
broker of its instance, which runs `routing.runtime` over `store/`, the tables of `models/`. A SEND wakes `tasks`, whose
`workers/` pass frames through the lists of `exchange/` to `endpoint/`, the process that owns the sockets, and back.
Beside that way, `hosted_rows` and `estate_writes` keep what an instance is, `waiting` and `emptied_queues` make a
RECEIVE wait, `leases/`, `activation/`, `queue_monitors/` and `keys/` are subjects of their own. Pages and REST read by
`selectors`, `queue_view` and `queue_rows`, `held_fragments`, `transmission_status` and `latency`, a page of rows at a
time (`keyset_views`).
"""
