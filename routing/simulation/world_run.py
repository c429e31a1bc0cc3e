"""Run a world from start to end."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from routing.dialog.batch import ClaimRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.queue_status import switch_off, switch_on
from routing.dialog.unit_of_work import UnitOfWork
from routing.model.catalog_objects import Queue
from routing.model.estate import MIRROR, PRINCIPAL, Estate
from routing.simulation.applications import Applications
from routing.simulation.cipher import SIMULATED_CIPHER, KeyGeneratingCipher
from routing.simulation.clock import START, Scheduler
from routing.simulation.delivery_oracle import DeliveryOracle
from routing.simulation.fault_schedule import BrokerOutage, Erring, FaultSchedule, QueueOutage, Renewal, RetentionSwitch
from routing.simulation.history import WorldHistory
from routing.simulation.landscape import MirroredPair, Repair
from routing.simulation.ledger import Ledger
from routing.simulation.network import SimulatedNetwork
from routing.simulation.recording_store import retained_row
from routing.simulation.records import (
    BrokerBroke,
    BrokerRenewed,
    FailedOver,
    FaultNoted,
    Record,
    RetainedLeft,
    WorldHealed,
    WorldOver,
)
from routing.simulation.simulated_broker import SimulatedBroker
from routing.simulation.world import PlannedFailover, World
from routing.simulation.world_context import BUSY, GONE, WorldContext

QUIET_CHECK_MS: Final = 5_000
"""Milliseconds between two checks whether anything is left to do."""
DELIVERY_BOUND_MS: Final = 600_000
"""Milliseconds within which everything deliverable must arrive once faults and new messages have ended."""

MAX_RECORDS: Final = 200_000
"""Maximum records of a history; more indicate an endless loop."""


def run_world(world: World, cipher: KeyGeneratingCipher = SIMULATED_CIPHER) -> WorldHistory:
    """Run a world and return its history."""
    return _WorldRun(world, cipher).live()


class _WorldRun:
    def __init__(self, world: World, cipher: KeyGeneratingCipher) -> None:
        self._world = world
        self._agenda = Scheduler()
        self._history = WorldHistory(world)
        self._ledger = Ledger()
        self._applications = Applications(world, self._agenda)
        self._network = SimulatedNetwork(
            world, self._agenda, self._history, lambda to, one: self._hosts[to].arrive(one)
        )
        woken = self._applications.wake
        around = WorldContext(
            world=world,
            agenda=self._agenda,
            history=self._history,
            ledger=self._ledger,
            network=self._network,
            woken=woken,
            cipher=cipher,
        )
        self._hosts = {name: SimulatedBroker(name, around) for name in world.estate.instances}
        self._estate = world.estate
        """The current estate; a broker knows the one it was started with."""
        self._off: dict[tuple[str, QueueKey], int] = {}
        self._disabled: dict[tuple[str, str], set[str]] = {}
        """By instance and database: names of the outages in progress."""

    def live(self) -> WorldHistory:
        world, agenda = self._world, self._agenda
        for host in self._hosts.values():
            host.start()
        self._schedule(world.upheavals)
        for failover in world.failovers:
            agenda.at(failover.at, self._fail_over, failover)
        for repair in world.repairs:
            agenda.at(START + repair.at, self._repair, repair)
        for binding in world.trust.bindings:
            if binding.since:
                agenda.at(START + binding.since, self._bind, binding.database)
        self._applications.begin(self._hosts, self._repair, self._turn)
        while self._is_sane() and agenda.step(world.heals):
            pass
        self._heal()
        is_quiet = self._settle()
        for name, host in self._hosts.items():
            rows = map(retained_row, host.store.inner.retained())
            self._history.add(RetainedLeft(agenda.now, name, tuple(rows)))
        self._history.add(WorldOver(agenda.now, is_quiet))
        return self._history

    # ------------------------------------------------------------ faults

    def _schedule(self, schedule: FaultSchedule) -> None:
        agenda = self._agenda
        for switch in schedule.switches:
            agenda.at(switch.begins, self._switch, switch, False)
            agenda.at(switch.ends, self._switch, switch, True)
        for outage in schedule.outages:
            agenda.at(outage.begins, self._disable, outage)
            agenda.at(outage.ends, self._enable, outage)
        for renewal in schedule.renewals:
            agenda.at(renewal.at, self._renew, renewal)
        for erring in schedule.errings:
            agenda.at(erring.at, self._err_conversations, erring)
        for retention in schedule.retentions:
            agenda.at(retention.at, self._switch_retention, retention)

    def _switch(self, switch: QueueOutage, on: bool) -> None:
        """Switch a queue off, or on again unless another outage keeps it off."""
        where, queue = switch.instance, (switch.database, switch.queue)
        count = self._off[where, queue] = self._off.get((where, queue), 0) + (-1 if on else 1)
        if count == (0 if on else 1):
            self._turn(where, queue)

    def _turn(self, instance: str, queue: QueueKey) -> None:
        """Set the queue to its wanted status as soon as its broker is available."""

        def act(work: UnitOfWork) -> list[Record]:
            (switch_off if self._off.get((instance, queue)) else switch_on)(work, queue)
            return []

        def done(how: str) -> None:
            if how in (BUSY, GONE):
                self._agenda.after(100, self._turn, instance, queue)

        self._hosts[self._holder(instance)].transact(ClaimRequest(), act, done)

    def _holder(self, instance: str) -> str:
        """Return the instance that now holds the database: the current principal of mirrored partners."""
        pairs = {failover.pair for failover in self._world.failovers if instance in failover.pair.partners}
        return next((self._roles(pair)[0] for pair in pairs), instance)

    def _fail_over(self, failover: PlannedFailover) -> None:
        """Stop both partners and swap their stores and roles."""
        pair = failover.pair
        principal, mirror = self._roles(pair)
        old, new = self._hosts[principal], self._hosts[mirror]
        self._history.add(FaultNoted(self._agenda.now, failover.name))
        for host in (old, new):
            host.stop(failover.name)
        old.store.inner, new.store.inner = new.store.inner, old.store.inner
        self._estate = _with_roles(self._estate, pair.database, mirror, principal)
        record = FailedOver(self._agenda.now, mirror, principal)
        self._history.add(record)
        self._ledger.fail_over(record)
        old.estate = self._estate
        new.start(self._estate)
        self._agenda.after(failover.down, old.start)

    def _roles(self, pair: MirroredPair) -> tuple[str, str]:
        """Return the names of principal and mirror."""
        one, other = pair.partners
        role = self._estate.instances[one].databases[pair.database].mirroring_role
        return (one, other) if role == PRINCIPAL else (other, one)

    def _bind(self, identifier: str) -> None:
        """An administrator creates a remote service binding: restart the instance with it."""
        for name, host in self._hosts.items():
            if any(
                database.broker_instance == identifier for database in self._estate.instances[name].databases.values()
            ):
                host.stop("binding")
                host.start(host.estate)

    def _disable(self, outage: BrokerOutage) -> None:
        """DISABLE_BROKER."""
        self._disabled.setdefault((outage.instance, outage.database), set()).add(outage.name)
        self._alter(outage, broker_enabled=False)

    def _enable(self, outage: BrokerOutage) -> None:
        """ENABLE_BROKER, unless another outage is in progress."""
        of_it = self._disabled[outage.instance, outage.database]
        if outage.name in of_it:
            of_it.remove(outage.name)
            self._alter(outage, broker_enabled=not of_it)

    def _alter(self, outage: BrokerOutage, *, broker_enabled: bool) -> None:
        instance = self._estate.instances[outage.instance]
        changed = replace(instance.databases[outage.database], broker_enabled=broker_enabled)
        self._estate = self._estate.with_instance(instance.with_database(changed))
        self._restart(outage.instance, f"{outage.name} {'ends' if broker_enabled else 'begins'}")

    def _renew(self, renewal: Renewal) -> None:
        """NEW_BROKER, which also enables it."""
        instance = self._estate.instances[renewal.instance]
        before = instance.databases[renewal.database]
        changed = replace(before, broker_instance=renewal.identifier, broker_enabled=True)
        self._estate = self._estate.with_instance(instance.with_database(changed))
        self._disabled.get((renewal.instance, renewal.database), set()).clear()
        host, moment = self._hosts[renewal.instance], self._agenda.now
        host.stop(renewal.name)
        self._history.add(FaultNoted(moment, renewal.name))
        self._history.add(BrokerRenewed(moment, renewal.instance, renewal.database, renewal.identifier))
        host.renew(renewal.database, self._estate)

    def _err_conversations(self, erring: Erring) -> None:
        """ERROR_BROKER_CONVERSATIONS, which also enables the broker."""
        instance = self._estate.instances[erring.instance]
        enabled = replace(instance.databases[erring.database], broker_enabled=True)
        self._estate = self._estate.with_instance(instance.with_database(enabled))
        self._disabled.get((erring.instance, erring.database), set()).clear()
        host = self._hosts[erring.instance]
        host.stop(erring.name)
        self._history.add(FaultNoted(self._agenda.now, erring.name))
        host.err_conversations(erring.database, self._estate)

    def _switch_retention(self, switch: RetentionSwitch) -> None:
        """ALTER QUEUE, of a queue that the estate may not have written down so far."""
        instance = self._estate.instances[switch.instance]
        database = instance.databases[switch.database]
        queues = {queue.name: queue for queue in database.queues}
        before = queues.get(switch.queue, Queue(switch.queue))
        queues[switch.queue] = replace(before, retention=not before.retention)
        changed = replace(database, queues=tuple(queues.values()))
        self._estate = self._estate.with_instance(instance.with_database(changed))
        self._restart(switch.instance, f"{switch.name} turns {'off' if before.retention else 'on'}")

    def _restart(self, instance: str, why: str) -> None:
        """Restart an instance with the current estate."""
        host = self._hosts[instance]
        host.stop(why)
        self._history.add(FaultNoted(self._agenda.now, why))
        host.start(self._estate)

    def _repair(self, repair: Repair) -> None:
        instance = self._estate.instances[repair.instance]
        if repair.route is None:
            self._estate = self._estate.with_instance(replace(instance, forwarding=True))
        else:
            self._estate = self._estate.with_route(repair.instance, repair.database, repair.route.name, repair.route)
        host = self._hosts[repair.instance]
        host.stop("repair")
        host.start(self._estate)

    # ------------------------------------------------------------ phase two

    def _heal(self) -> None:
        self._history.add(WorldHealed(self._agenda.now))
        self._network.is_calm = self._applications.is_calm = True
        for host in self._hosts.values():
            host.store.can_crash = False
            host.start()

    def _settle(self) -> bool:
        """Run until nothing is left to do. False: something is left after `DELIVERY_BOUND_MS`."""
        last = self._agenda.now
        while self._agenda.now - last <= DELIVERY_BOUND_MS:
            until = self._agenda.now + QUIET_CHECK_MS
            while self._is_sane() and self._agenda.step(until):
                pass
            if not self._is_sane():
                self._history.add(BrokerBroke(self._agenda.now, "", "the history has no end"))
                return False
            if not all(host.is_up for host in self._hosts.values()):
                return False  # a broken broker is not restarted
            if self._applications.unfinished:
                last = self._agenda.now
            elif self._is_quiet():
                return True
        return False

    def _is_sane(self) -> bool:
        return len(self._history.records) < MAX_RECORDS

    def _is_quiet(self) -> bool:
        if self._network.flying:
            return False
        promises = DeliveryOracle(self._world.trust, self._estate, self._ledger, self._agenda.now)
        return (
            not promises.unread()
            and not promises.stuck()
            and not any(map(promises.is_to_arrive, self._ledger.waiting()))
        )


def _with_roles(estate: Estate, database: str, principal: str, mirror: str) -> Estate:
    for name, role in ((principal, PRINCIPAL), (mirror, MIRROR)):
        instance = estate.instances[name]
        changed = replace(instance.databases[database], mirroring_role=role)
        estate = estate.with_instance(instance.with_database(changed))
    return estate
