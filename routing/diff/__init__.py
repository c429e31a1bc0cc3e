"""The differential: what a change of the estate does to every class of traffic.

Begin with `run`. `delta` finds the nodes that may decide differently, `context` and `senders` are computed once for all
classes, `per_name` once for those of a name; then `class_change` evaluates the classes of a name, `default_change` the
many names that nothing treats specially, and `replies` spares those that end alike. `group_set` and `result` group the
outcomes, `intent` says which classes count as worse, `step_order` puts servers in order.
"""
