"""Checks of addresses that lead to no instance, to a wrong port, or back to the instance of the route."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.sentence import Sentence, say
from routing.lint.context import LintContext
from routing.lint.facts import TDS_PORT, corrected, host_of, network_addresses
from routing.lint.impossible_hosts import ImpossibleHost, impossible_host
from routing.lint.linted_objects import LintedRoute, instance_finding, lost
from routing.lint.loopback import is_loopback, listener_at, listener_sentence
from routing.lint.reasons import unless
from routing.lint.remedy import altered
from routing.model.address import DEFAULT_PORT, LOCAL, Address
from routing.model.estate import Instance
from routing.tsql.placeholders import placeholders_of


def unknown_address(scene: LintContext) -> Iterator[Finding]:
    """A live route to an address, or mirror address, whose host is that of no instance: messages leave the estate.

    If an instance has that name in another domain, or without one, the finding names it. A known host is `wrong-port`.
    Errors, because no machine has such a name: a host with a placeholder, `<server>` or `${host}`, is an unfilled
    template, one with a comma or a backslash is from a connection string, and 0.0.0.0 from a LISTENER_IP.
    """
    labels = _byfirst_label(scene)
    for row, address in unresolved(scene):
        host = host_of(address)
        if host in scene.by_host:
            continue
        if is_placeholder(address):
            yield row.finding("unknown-address", ERROR, _left_in(address))
            continue
        if (impossible := impossible_host(address)) is not None:
            yield _impossible(scene, row, address, impossible)
            continue
        if is_loopback(host):
            yield _local(scene, row, address)
            continue
        guessed = scene.guessed.get(host)
        reason = _unknown(address, labels.get(first_label(host)))
        yield row.finding("unknown-address", WARNING, _port_not_known(address, guessed) if guessed else reason)


def is_placeholder(address: Address) -> bool:
    """True if the host is still a template, as in `tcp://<server>:4022` or `tcp://${host}:4022`."""
    return not {"<", ">"}.isdisjoint(address.key) or any(placeholders_of(address.key))


def _left_in(address: Address) -> Sentence:
    found = next(placeholders_of(address.key), None)
    if found is None or "<" in found:
        return say("{address} is left from a template: a host belongs where the brackets are.", address=address.key)
    return say(
        "{address} is left from a template: a host belongs in place of {placeholder}.",
        address=address.key,
        placeholder=found,
    )


def _impossible(scene: LintContext, row: LintedRoute, address: Address, found: ImpossibleHost) -> Finding:
    """An address that nothing can connect to: the error, and the address that was meant where it tells."""
    if found.meant is None:
        reason = say("{address} can never be reached: {why}.", address=address.key, why=found.why)
        return row.finding("unknown-address", ERROR, reason)
    instances = [*scene.by_host.get(found.meant, ()), *scene.guessed.get(found.meant, ())]
    right = corrected(address, found.meant, instances)
    names = tuple(dict.fromkeys(instance.name for instance in instances))
    values = {"address": address.key, "why": found.why, "right": right.key, "instances": names}
    reason = say("{address} can never be reached: {why}. {right} is meant.", **values)
    if instances:
        reason = say("{address} can never be reached: {why}. On that host is {instances}, at {right}.", **values)
    column = "address" if address == row.route.address else "mirror_address"
    remedy = altered(row.database.name, row.route, **{column: right})
    return row.finding("unknown-address", ERROR, reason, remedy)


def _local(scene: LintContext, row: LintedRoute, address: Address) -> Finding:
    """An address of the machine of the route: LOCAL is meant where the instance itself listens and has the service."""
    reason = listener_sentence(scene.estate, row.instance, address)
    is_own = listener_at(scene.estate, row.instance, address).is_own
    is_here = row.route.remote_service_name in row.instance.targets and row.route.mirror_address is None
    remedy = altered(row.database.name, row.route, address=Address(LOCAL, LOCAL)) if is_own and is_here else None
    return row.finding("unknown-address", WARNING, reason, remedy)


def _unknown(address: Address, alike: Instance | None) -> Sentence:
    reason = _unknown_host(address, alike)
    if address.port != TDS_PORT:
        return reason
    return say(
        "{reason} {port} is the port for queries: a Service Broker endpoint has another one, see port in"
        " sys.tcp_endpoints of that instance.",
        reason=reason,
        port=TDS_PORT,
    )


def _unknown_host(address: Address, alike: Instance | None) -> Sentence:
    if alike is None:
        return say("{address} is the address of no instance of this estate.", address=address.key)
    return say(
        "{address} is the address of no instance of this estate; {instance} has {known}.",
        address=address.key,
        instance=alike.name,
        known=alike.addresses[0].key,
    )


def unresolved(scene: LintContext) -> Iterator[tuple[LintedRoute, Address]]:
    """The network addresses of live routes that belong to no instance, each once per route."""
    known = scene.estate.by_address
    for row in scene.live:
        for address in dict.fromkeys(network_addresses(row.route)):
            if address.key not in known:
                yield row, address


def _byfirst_label(scene: LintContext) -> Mapping[str, Instance]:
    return {first_label(host): instances[0] for host, instances in scene.by_host.items()}


def first_label(host: str) -> str:
    """The first label of a host name: `srv1` of `srv1.example`; a numeric address as a whole."""
    return host if host[0] == "[" or host.replace(".", "").isdigit() else host.partition(".")[0]


def wrong_port(scene: LintContext) -> Iterator[Finding]:
    """A live route to the host of an instance, at a port at which no instance listens.

    An error if the route's service is on that host, or the port is that of queries (1433); else another instance on
    that host may be missing in the estate. A warning, too, if the route has a mirror whose other address is that of an
    instance: the principal may be there. Also reported for an instance whose addresses all have another port than its
    endpoint.

    If an instance on that host has no endpoint in the estate, and only the address that an import derives from its
    name, its port is an assumption and the route may be right: a warning if the service is on that host, else
    information.
    """
    for row, address in unresolved(scene):
        instances = scene.by_host.get(host_of(address))
        if instances is not None:
            yield _wrong_port(scene, row, address, instances)
    for instance in scene.instances:
        endpoint = instance.endpoint
        if endpoint is not None and instance.addresses and endpoint.port not in {a.port for a in instance.addresses}:
            reason = say(
                "Its endpoint listens on port {port}, and none of its addresses has that port: {addresses}.",
                port=endpoint.port,
                addresses=tuple(address.key for address in instance.addresses),
            )
            yield instance_finding("wrong-port", WARNING, instance, reason)


def _wrong_port(scene: LintContext, row: LintedRoute, address: Address, instances: list[Instance]) -> Finding:
    host = host_of(address)
    service = row.route.remote_service_name
    guessed = scene.guessed.get(host, ())
    meant = any(service in instance.targets for instance in (*instances, *guessed))
    if guessed and address.port != TDS_PORT:
        return row.finding("wrong-port", WARNING if meant else INFO, _port_not_known(address, guessed))
    right = [a for instance in instances for a in instance.addresses if host_of(a) == host]
    reason = say(
        "No instance listens at {address}; on that host, {instances} has {right}.",
        address=address.key,
        instances=tuple(instance.name for instance in instances),
        right=tuple(a.key for a in right),
    )
    if address.port == TDS_PORT:
        reason = say("{reason} {port} is the port for queries.", reason=reason, port=TDS_PORT)
    column = "address" if address == row.route.address else "mirror_address"
    partner = any(scene.estate.resolve(other) is not None for other in network_addresses(row.route))
    severity = ERROR if (meant or address.port == TDS_PORT) and not partner else WARNING
    there = {instance.name for instance in (*instances, *guessed)}
    is_sure = len(right) == 1 and len(there) == 1 and row.instance.name not in there
    remedy = altered(row.database.name, row.route, **{column: right[0]}) if is_sure else None
    return row.finding("wrong-port", severity, reason, remedy)


def _port_not_known(address: Address, instances: Sequence[Instance]) -> Sentence:
    """The sentence for instances of unknown port on that host; those without an address come first, as the most
    likely."""
    without = [instance for instance in instances if not instance.addresses]
    if without:
        reason = say(
            "No instance listens at {address}, and the estate does not tell where {instances} listens.",
            address=address.key,
            instances=tuple(instance.name for instance in without),
        )
    else:
        reason = say(
            "No instance listens at {address}; that {instances} listens on port {port} is assumed: the estate has no"
            " endpoint of it.",
            address=address.key,
            instances=tuple(instance.name for instance in instances),
            port=DEFAULT_PORT,
        )
    return say(
        "{reason} If this is its address, import its scripts as {name}@{address}=FILE, or import its endpoint.",
        reason=reason,
        name=(without or instances)[0].name,
        address=address.key,
    )


def own_address(scene: LintContext) -> Iterator[Finding]:
    """A live route, without a mirror, to an address of its own instance (LOOP-2).

    Its messages are treated as from outside: msdb decides, and only forwarding sends them anywhere but LOCAL. An error
    if that loses all of them, a warning if it may, else information; also where it hangs on an unknown identifier.
    """
    for row in scene.live:
        route = row.route
        if route.mirror_address is not None or not route.address.is_network:
            continue
        if scene.estate.resolve(route.address) == row.instance.name and not _is_nowhere(scene, row):
            reason = say(
                "{address} is this instance itself: its messages are treated as from outside, and msdb decides.",
                address=route.address.key,
            )
            remedy = altered(row.database.name, route, address=_meant(scene, row))
            severity = _severity_of_detour(scene, row)
            if severity == ERROR and (supposed := scene.supposed(row, str(route.remote_service_name))):
                severity, reason = INFO, unless(reason, supposed[0])
            yield row.finding("own-address", severity, reason, remedy)


def _meant(scene: LintContext, row: LintedRoute) -> Address:
    """The address of the only instance that has the service of the route, where that is another one; else LOCAL."""
    homes = scene.services.get(row.route.remote_service_name or "", ())
    instances = {held.instance.name: held.instance for held in homes}
    if len(instances) == 1 and row.instance.name not in instances:
        [instance] = instances.values()
        return next(iter(instance.addresses), Address(LOCAL, LOCAL))
    return Address(LOCAL, LOCAL)


def _is_nowhere(scene: LintContext, row: LintedRoute) -> bool:
    """True if no database has the service of the route: with any address its messages get nowhere."""
    name = row.route.remote_service_name
    return name is not None and name not in scene.services and lost(scene.ends(row, name))


def _severity_of_detour(scene: LintContext, row: LintedRoute) -> str:
    if row.route.remote_service_name is None:
        return WARNING
    ends = scene.ends(row, row.route.remote_service_name)
    if lost(ends):
        return ERROR
    return WARNING if any(lost((end,)) for end in ends) else INFO
