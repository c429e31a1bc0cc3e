"""The results of the pipeline: each run with its files, and the rows of its tables; and the rounds."""

from brokerui.analysis.traffic.models.rounds import Round, RoundState
from brokerui.analysis.traffic.models.runs import File, OfRun, Run
from brokerui.analysis.traffic.models.telemetry import (
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
from brokerui.analysis.traffic.models.traffic import Change, Link, Met

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
    "RoundState",
    "RouteUse",
    "Run",
    "UnusedRoute",
    "Uptime",
    "Waiting",
]
