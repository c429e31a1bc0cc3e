"""The results of the pipeline: each run with its files, and the rows of its tables; and the rounds."""

from brokerui.traffic_results.models.rounds import Round, State
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
    "Round",
    "RouteUse",
    "Run",
    "State",
    "UnusedRoute",
    "Uptime",
    "Waiting",
]
