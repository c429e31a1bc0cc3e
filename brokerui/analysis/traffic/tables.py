"""The model of each table of a result; the columns of a table are the fields of its model, by name."""

from __future__ import annotations

from collections.abc import Mapping

from brokerui.analysis.traffic import models

TABLES: Mapping[str, type[models.OfRun]] = {
    "outcomes": models.Met,
    "differential": models.Change,
    "flow_matrix": models.Link,
    "depths": models.Depth,
    "waiting": models.Waiting,
    "attempts": models.Attempts,
    "episodes": models.Episode,
    "latencies": models.Latency,
    "drops": models.Drops,
    "connections": models.Connection,
    "connection_failures": models.ConnectionFailures,
    "uptime": models.Uptime,
    "mirrors": models.MirrorChange,
    "routes": models.RouteUse,
    "unused_routes": models.UnusedRoute,
    "hops": models.Hop,
    "disagreements": models.Disagreement,
}
