"""The commands of sqlcmd in a script: lines that sqlcmd itself executes."""

from __future__ import annotations

import re

from routing.common.errors import Invalid
from routing.common.names import check_name
from routing.common.sentence import Sentence, say
from routing.model.estate import INSTANCE_NAME_CHARS
from routing.tsql.growth import SqlcmdVariables
from routing.tsql.lexer import substituted
from routing.tsql.refusal import NOT_UNDERSTOOD, REFUSED, VALUE_NOT_LITERAL
from routing.tsql.report import ScriptReport
from routing.tsql.session import ScriptSession
from routing.tsql.unknown import open_places, shown, unknown_values

_SETVAR = re.compile(r':setvar\s+(\w[\w-]*)\s*(?:"((?:[^"]|"")*)"|(\S+))?', re.IGNORECASE)
_CONNECT = re.compile(r":connect\s+(\S+)", re.IGNORECASE)
_INCLUDE = re.compile(r":r\s+(.*)", re.IGNORECASE)
_LEAVE = re.compile(r":(?:quit|exit)\b", re.IGNORECASE)
_SERVER = re.compile(r"(?:tcp:|np:|lpc:)?([^,]*)", re.IGNORECASE)
"""The instance name in the argument of `:CONNECT`, without protocol and port."""


class Sqlcmd:
    """The state after the commands so far."""

    def __init__(self, session: ScriptSession, report: ScriptReport, variables: SqlcmdVariables) -> None:
        self.variables = variables
        self.has_left = False
        """True after `:quit` or `:exit`: nothing more runs."""
        self._session = session
        self._report = report

    def run(self, line: str, start: int) -> bool:
        """Execute the command at `start`; True if it opened another connection."""
        if self.has_left or set_variable(line, self.variables):
            return False
        if found := _CONNECT.match(line):
            return self._connect(found[1], start)
        if found := _INCLUDE.match(line):
            self._tell_not_included(found[1], start)
        elif _LEAVE.match(line):
            self.has_left = True
        return False

    def _tell_not_included(self, name: str, start: int) -> None:
        reason = self._report.script.refused.get(start)
        problem = say("{file} is read in here by sqlcmd; it was not read", file=shown(name))
        if reason is not None:
            problem = say("{problem}: {reason}", problem=problem, reason=reason)
        self._report.found_broker()
        self._report.add(NOT_UNDERSTOOD, start, None, problem)

    def _connect(self, server: str, start: int) -> bool:
        server = substituted(server, self.variables).strip('"')
        name = _SERVER.fullmatch(server.partition(",")[0])
        if not name or not name[1] or "$(" in server:
            self._lose(VALUE_NOT_LITERAL, unknown_values(open_places(server) or (server,)), start)
            return False
        try:
            check_name(name[1], "name", INSTANCE_NAME_CHARS)
        except Invalid as fault:
            self._lose(REFUSED, fault.problem, start)
            return False
        self._session.connect(self._session.draft.instance(name[1]), is_named=False)
        return True

    def _lose(self, code: str, problem: Sentence, start: int) -> None:
        """Handle a `:CONNECT` that cannot be read: the database is unknown from here on."""
        self._session.use(None)
        self._report.add(code, start, None, say("{title}: {problem}", title=":CONNECT", problem=problem))


def set_variable(line: str, variables: SqlcmdVariables) -> bool:
    """Execute a `:setvar`, which without a value takes the variable away. False if the line is none.

    Raises `TooLarge`.
    """
    found = _SETVAR.match(line)
    if found is None:
        return False
    name, quoted, plain = found.groups()
    value = quoted.replace('""', '"') if quoted is not None else plain
    if value is None:
        variables.forget(name)
    else:
        variables.set(name, substituted(value, variables))
    return True
