"""Write the tables of `telemetry`: of a whole log, or the rows that new and removed events change beside the rest
of the former result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.files.location import Location, spark_name
from pipeline.jobs.telemetry_parts import (
    COMPARED,
    MEASURED,
    USES,
    FormerTelemetry,
    read_divided,
    read_part,
    write_daily,
)
from pipeline.results.former_files import Record
from pipeline.results.output_folder import write_rows
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.results.run_record import JobRun
from pipeline.results.table_folders import TableFolders
from pipeline.schemas import EVENT
from pipeline.telemetry import delays, depths, latencies, links, next_hops, route_usage, touched
from pipeline.telemetry.event_log import MIRRORED, EventLog
from pipeline.telemetry.touched import (
    ALL_HOURS,
    CONVERSATION_KEY,
    HOP_KEY,
    NO_HOURS,
    SIDE_KEY,
    Hours,
    with_keys,
    without_keys,
)
from pipeline.transforms.day_partition import DAY

SPANS: dict[str, Callable[[EventLog], DataFrame]] = {
    "depths": depths.depths,
    "waiting": depths.waiting,
    "attempts": depths.attempts,
    "drops": links.drops,
    "connection_failures": links.connection_failures,
    "routes": route_usage.routes,
}
"""Tables whose rows need the events of their own hours alone."""
STAGES = (*SPANS, "episodes", "connections", "uptime", "mirrors", "latencies", "ways")
"""The phases in which tables are written, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A log that has changed: its new events, and the former result."""

    new: EventLog
    changed: EventLog
    """The new events, and those of the former result whose files are gone."""
    removed_hours: Hours
    """The hours of the latter."""
    former: FormerTelemetry
    conversations: DataFrame
    sides: DataFrame
    touched: EventLog
    """All events of conversations and sides that changed events are about."""


@dataclass(frozen=True, slots=True)
class TableWriter:
    """Writes tables of a log into the folders of a new result."""

    spark: SparkSession
    log: EventLog
    folders: TableFolders
    growth: Growth | None
    """None: each table is computed of the whole log."""
    kept: dict[str, dict[Location, Record]] = field(default_factory=dict)
    """Files of the former result that still hold, by table."""
    rows_kept: int = 0
    """The rows that the former result read in files that are still there."""

    def write(self, run: JobRun, owners: DataFrame | None, *, has_other_owners: bool) -> None:
        """Write all tables but that of unused routes. `owners`: whose each address is by the estate, if there is one;
        `has_other_owners`: the former result had others."""
        hours = touched.hours_of(self.growth.changed.events) if self.growth else ALL_HOURS
        for name, table in SPANS.items():
            self._of_hours(name, table(EventLog(self.log.events.where(hours.has("at")))), "since", hours)
            run.end_phase(name)
        self._write_keyed(run)
        self._write("mirrors", links.mirrors(EventLog(self.log.of_class(MIRRORED))))
        run.end_phase("mirrors")
        self._write_latencies()
        run.end_phase("latencies")
        self._write_hops(owners, has_other_owners=has_other_owners)
        self._write_uses()

    def read(self, part: str) -> DataFrame:
        """Read a part that is written by now."""
        files = [*self.kept.get(part, ()), *parquet_files_in(self.folders.table(part))]
        return read_part(self.spark, self.folders.place, part, files)

    def _write(self, name: str, rows: DataFrame) -> None:
        write_rows(rows.coalesce(1), self.folders.table(name))

    def _of_hours(self, name: str, rows: DataFrame, moment: str, hours: Hours) -> None:
        """Write the rows of these hours, and of all others those of the former result."""
        if self.growth and hours is not ALL_HOURS:
            rows = rows.unionByName(self.growth.former.table(self.spark, name).where(~hours.has(moment)))
        self._write(name, rows)

    def _write_keyed(self, run: JobRun) -> None:
        """Write the tables whose rows need the events of one side, or of one connection."""
        growth = self.growth
        if growth is None:
            self._write("episodes", delays.episodes(self.log))
            run.end_phase("episodes")
            self._write("connections", links.connections(self.log))
        else:
            events, former = EventLog(with_keys(growth.touched.events, growth.sides, SIDE_KEY)), self._former
            kept = without_keys(former("episodes"), growth.sides, SIDE_KEY)
            self._write("episodes", delays.episodes(events).unionByName(kept))
            run.end_phase("episodes")
            connections, key = touched.connections_of(growth.changed), touched.CONNECTION_KEY
            kept = without_keys(former("connections"), connections, key)
            fresh = links.connections(EventLog(with_keys(self.log.events, connections, key)))
            self._write("connections", fresh.unionByName(kept))
        run.end_phase("connections")
        found = self.spark.read.parquet(spark_name(self.folders.table("connections")))
        self._write("uptime", links.uptime_of(found, self.log.end()))
        run.end_phase("uptime")

    def _former(self, name: str) -> DataFrame:
        assert self.growth is not None
        return self.growth.former.table(self.spark, name)

    def _write_latencies(self) -> None:
        growth, hours = self.growth, ALL_HOURS
        if growth is None:
            write_daily(latencies.measured(self.log), self.folders.table(MEASURED))
        else:
            of_conversations = EventLog(with_keys(growth.touched.events, growth.conversations, CONVERSATION_KEY))
            of_sides = EventLog(with_keys(growth.touched.events, growth.sides, SIDE_KEY))
            fresh = latencies.of_conversations(of_conversations).unionByName(latencies.of_sides(of_sides))
            hours = self._grow(MEASURED, fresh.unionByName(self._first_attempts(growth)), self._measured_again)
        found = self.read(MEASURED).where(hours.has("at")).drop(DAY)
        self._of_hours("latencies", latencies.quantiles_of(found), "since", hours)

    def _first_attempts(self, growth: Growth) -> DataFrame:
        """Measure first attempts of new events, and again in the hours of removed ones."""
        is_again = growth.removed_hours.has("at")
        again = self.log.events.where(is_again)
        return latencies.first_attempts(EventLog(growth.new.events.where(~is_again).unionByName(again)))

    def _measured_again(self, rows: DataFrame) -> DataFrame:
        """Mark the times that are measured again: of touched conversations and sides, and single events in the hours of
        removed ones."""
        assert self.growth is not None
        rows = touched.marked(rows, self.growth.conversations, CONVERSATION_KEY, "_first")
        rows = touched.marked(rows, self.growth.sides, SIDE_KEY, "_second")
        of_conversation, of_side = (
            F.col("kind").isin(*kinds) for kinds in (latencies.OF_CONVERSATION, latencies.OF_SIDE)
        )
        of_event = ~of_conversation & ~of_side & self.growth.removed_hours.has("at")
        is_again = (of_conversation & F.col("_first")) | (of_side & F.col("_second")) | of_event
        return rows.withColumn("_again", is_again).drop("_first", "_second")

    def _write_hops(self, owners: DataFrame | None, *, has_other_owners: bool) -> None:
        growth, hours = self.growth, ALL_HOURS
        if growth is None or has_other_owners:
            write_daily(next_hops.compared_hops(self.log, owners), self.folders.table(COMPARED))
        else:
            of_conversations = EventLog(with_keys(growth.touched.events, growth.conversations, CONVERSATION_KEY))
            columns = ("at", "instance", "conversation_id", "from_initiator", "number", "route", "next_hop", "told")
            former = self._compared_again(growth.former.part(self.spark, COMPARED))
            by_login = former.where("_again AND NOT _is_of_conversation").select(*columns)
            messages = next_hops.reported(of_conversations).select(*columns).unionByName(by_login)
            hours = self._grow(COMPARED, next_hops.judged(self.log, messages, owners), self._compared_again)
        found = self.read(COMPARED).where(hours.has("at")).drop(DAY)
        self._of_hours("hops", next_hops.hops(found), "since", hours)
        self._of_hours("disagreements", next_hops.disagreements(found), "at", hours)

    def _compared_again(self, rows: DataFrame) -> DataFrame:
        """Mark the messages that are compared again: of touched conversations, or after a new login at the next hop."""
        assert self.growth is not None
        rows = touched.marked(rows, self.growth.conversations, CONVERSATION_KEY, "_is_of_conversation")
        found = rows.join(F.broadcast(touched.logins_since(self.growth.changed)), list(HOP_KEY), "left")
        after = F.coalesce(F.col("at") >= F.col("_login_at"), F.lit(False))
        return found.withColumn("_again", F.col("_is_of_conversation") | after).drop("_login_at")

    def _grow(self, part: str, fresh: DataFrame, mark: Callable[[DataFrame], DataFrame]) -> Hours:
        """Write a part in which fresh rows take the place of marked ones; its other days are those of the former.

        Returns the hours in which it has changed.
        """
        assert self.growth is not None
        former = self.growth.former.part(self.spark, part)
        work = self.folders.work / part
        write_rows(fresh, work)
        rows = self.spark.read.schema(fresh.schema).parquet(spark_name(work))
        removed = mark(former).where("_again").select(*fresh.columns)
        hours = touched.changed_hours(rows, removed)
        kept = mark(former.where(hours.are_days_of(DAY))).where("NOT _again").select(*fresh.columns)
        write_daily(kept.unionByName(rows.where(hours.are_days_of(F.to_date("at")))), self.folders.table(part))
        self._keep_other_days(part, hours)
        return hours

    def _keep_other_days(self, part: str, hours: Hours) -> None:
        assert self.growth is not None
        files = self.growth.former.files[part]
        self.kept[part] = {file: about for file, about in files.items() if not hours.has_day(_day_of(file))}

    def _write_uses(self) -> None:
        """Write when each route was used last."""
        if self.growth is None or self.growth.former.removed:
            uses = route_usage.last_uses(self.log)
        else:
            former = self.growth.former.part(self.spark, USES)
            uses = route_usage.later_uses(former.unionByName(route_usage.last_uses(self.growth.new)))
        self._write(USES, uses)


def _day_of(file: Location) -> date:
    return date.fromisoformat(file.parent.name.removeprefix(f"{DAY}="))


def growth_of(
    spark: SparkSession,
    log: EventLog,
    new: EventLog,
    removed: DataFrame | None,
    former: FormerTelemetry,
    work: Location,
) -> Growth:
    """Find the keys and events that new and removed events change. Both are written into `work`: each is read several
    times."""
    changed = new if removed is None else EventLog(new.events.unionByName(removed))
    keys = {"conversations": touched.conversations_of(changed), "sides": touched.sides_of(changed)}
    read = {}
    for name, rows in keys.items():
        write_rows(rows, work / name)
        read[name] = spark.read.schema(rows.schema).parquet(spark_name(work / name))
    place = work / "touched"
    write_rows(touched.touched_events(log, **read), place, "event_class")
    events = EventLog(read_divided(spark, place, EVENT, parquet_files_in(place)))
    hours = NO_HOURS if removed is None else touched.hours_of(removed)
    return Growth(new=new, changed=changed, removed_hours=hours, former=former, touched=events, **read)
