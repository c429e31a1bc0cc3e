"""The results of the pipeline: each run with its files, and the rows of its tables."""

from brokerui.traffic_results.models.runs import File, OfRun, Run
from brokerui.traffic_results.models.telemetry import (
    Attempts,
    Connection,
    ConnectionFailures,
    Depth,
    Disagreement,
    Drops,
    Episode,
    Hop,
    Latency,
    MirrorChange,
    RouteUse,
    UnusedRoute,
    Uptime,
    Waiting,
)
from brokerui.traffic_results.models.traffic import Change, Link, Met

__all__ = [
    "Attempts",
    "Change",
    "Connection",
    "ConnectionFailures",
    "Depth",
    "Disagreement",
    "Drops",
    "Episode",
    "File",
    "Hop",
    "Latency",
    "Link",
    "Met",
    "MirrorChange",
    "OfRun",
    "RouteUse",
    "Run",
    "UnusedRoute",
    "Uptime",
    "Waiting",
]
