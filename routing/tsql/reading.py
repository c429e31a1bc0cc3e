"""Reads scripts into an estate, with findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from routing.common.errors import InputError, Invalid
from routing.common.finding import Finding
from routing.common.gc_control import gc_paused
from routing.common.names import check_name
from routing.common.sentence import say
from routing.model.address import Address
from routing.model.estate import INSTANCE_NAME_CHARS, Database, Estate
from routing.tsql.draft import DraftInstance, EstateDraft
from routing.tsql.inclusion import Include, script_text
from routing.tsql.missing import forget_made, remember_missing
from routing.tsql.not_script import says_nothing
from routing.tsql.refusal import ADDRESS_UNKNOWN, SEVERITY
from routing.tsql.script import ScriptReader
from routing.tsql.session import ScriptSession
from routing.tsql.silent_files import (
    SAYS_NOTHING,
    left_out,
    of_nothing,
    refuse_nothing,
    silent_instances,
    without_files_of_variables,
    without_statement,
)

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ScriptGroup:
    """The scripts of one instance, in the order in which they run."""

    name: str
    address: Address | None
    """The address of the instance; None: derived from its name and endpoint."""
    scripts: Iterable[tuple[str, str]]
    """File name and text of each; may be a lazy iterable."""
    database: str | None = None
    """The database in which their connections begin, as `sqlcmd -d` says it; None: master."""
    include: Include | None = None
    """Reads the files that `:r` names; None: none is read."""
    further: tuple[Address, ...] = ()
    """Further addresses of the instance, beside `address`."""
    known: Mapping[str, Database] = field(default_factory=dict)
    """By folded name: the databases of the instance as they were known before."""


def read_scripts(
    groups: Iterable[ScriptGroup],
    *,
    into: Estate | None = None,
    at: datetime,
    variables: Mapping[str, str] = NO_VARIABLES,
) -> tuple[Estate, tuple[Finding, ...]]:
    """The estate that the scripts create, or change `into`, and the findings about them.

    Lifetimes count from `at`. Every script runs in a connection of its own, which begins in master unless its group
    says another database. Each instance begins with the sqlcmd `variables`, as `sqlcmd -v` gives them; what a `:setvar`
    sets stays set for its scripts that follow. Raises `InputError` if no estate can hold the result.
    """
    draft = EstateDraft(into)
    findings: list[Finding] = []
    first = {name.lower(): value for name, value in variables.items()}
    set_for: dict[str, dict[str, str]] = {}
    with gc_paused():
        for group in groups:
            own = set_for.setdefault(group.name.casefold(), dict(first))
            findings += _read_group(group, draft, at, own)
    forget_made(draft)
    findings += [_without_address(*one) for one in draft.finish()]
    try:
        return draft.built(), tuple(findings)
    except Invalid as fault:
        raise InputError("estate", f"$.{fault.path}".rstrip("."), fault.problem) from None


def read_import(
    groups: Sequence[ScriptGroup],
    into: Callable[[frozenset[str]], Estate | None],
    file_counts: Mapping[str, int],
    *,
    at: datetime,
    variables: Mapping[str, str] = NO_VARIABLES,
) -> tuple[Estate, tuple[Finding, ...]]:
    """Read the scripts as `read_scripts` does, and leave out the instances whose files all say nothing.

    The scripts of a group are read twice where there are such instances. `into` gets the folded names of these, and
    returns the estate to change; `file_counts` has the number of files of the import by folded name of their instance.
    Raises `InputError` also where no file of the import says anything.
    """
    estate, findings = read_scripts(groups, into=into(frozenset()), at=at, variables=variables)
    silent = silent_instances(findings, file_counts)
    if not silent:
        return estate, without_files_of_variables(findings)
    refuse_nothing(findings, silent, file_counts)
    others = [group for group in groups if group.name.casefold() not in silent]
    estate, kept = read_scripts(others, into=into(silent), at=at, variables=variables)
    return estate, without_files_of_variables(kept) + left_out(findings, silent)


def _read_group(group: ScriptGroup, draft: EstateDraft, at: datetime, variables: dict[str, str]) -> list[Finding]:
    _check_names(group)
    is_new = draft.instances.find(group.name) is None
    findings: list[Finding] = []
    for file, text in group.scripts:
        if says_nothing(text):
            findings.append(of_nothing(group.name, file, SAYS_NOTHING))
            continue
        instance = _instance_of(group, draft)
        session = ScriptSession(draft, instance, at, None, variables=variables)
        session.connect(instance, is_named=False)
        if group.database is not None:
            session.use(instance.database(group.database))
        whole = script_text(text, file, variables, group.include)
        script = ScriptReader(whole, session)
        script.read()
        findings += script.findings
        if not script.concerns_broker:
            findings.append(of_nothing(group.name, file, without_statement(whole.text)))
        remember_missing(draft, group.name, script.findings)
        if is_new and session.instance is not instance and _is_untouched(instance):
            # The script names its instances itself, as exported ones do.
            draft.instances.drop(instance.name)
    return findings


def _check_names(group: ScriptGroup) -> None:
    """Raise `InputError` for a name of an instance or a database that the product could not hold."""
    try:
        check_name(group.name, "name", INSTANCE_NAME_CHARS)
        if group.database is not None:
            check_name(group.database, "database")
    except Invalid as fault:
        raise InputError(group.name, "", fault.problem) from None


def _instance_of(group: ScriptGroup, draft: EstateDraft) -> DraftInstance:
    instance = draft.instance(group.name)
    instance.known = group.known
    if group.address is not None:
        instance.addresses = (group.address, *group.further)
    return instance


def _is_untouched(instance: DraftInstance) -> bool:
    nothing = all(not database.listed for database in instance.databases)
    return (
        nothing
        and not instance.missing
        and instance.endpoint is None
        and instance.addresses is None
        and instance.has_msdb
    )


def _without_address(instance: DraftInstance, address: Address | None, holder: str | None) -> Finding:
    wanted = say("give {name} an address of its own, tcp://HOST:PORT", name=instance.name)
    if address is None:
        problem = say("no address can be made of the name of the instance: {wanted}", wanted=wanted)
    elif instance.endpoint is None:
        problem = say(
            "no script tells its port, and {address} is the address of {holder} already: {wanted}",
            address=address.text,
            holder=holder,
            wanted=wanted,
        )
    else:
        problem = say(
            "{address} is the address of {holder} already: {wanted}", address=address.text, holder=holder, wanted=wanted
        )
    return Finding(ADDRESS_UNKNOWN, SEVERITY[ADDRESS_UNKNOWN], instance.name, None, None, problem)
