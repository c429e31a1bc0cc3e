"""The command `brokerui`. Pure commands start without Django; each command is a module of `brokerui.cli.commands`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from brokerui.cli.arguments import described, one_variable_each
from brokerui.cli.standard_output import CANNOT_WRITE, forget_output, ready_streams
from brokerui.cli.usage import bind_usage
from brokerui.core.languages import environment_language, local, translation
from routing.common.command_line import CommandParser, write_error
from routing.common.errors import InputError
from routing.common.sentence import say

BAD_INPUT = 4
BROKEN_PIPE = 141
INTERRUPTED = 130
COMMANDS = {
    "outcomes": say("list every outcome of each conversation, a line of JSON each"),
    "explain": say("show where one conversation goes and why, there and back"),
    "diff": say("list every class of traffic whose outcome a change alters"),
    "lint": say("list what is wrong with an estate, with reasons and remedies"),
    "test": say("judge routing tests, which say what must, may and must never become of conversations"),
    "certify": say(
        "write the certificate of a change: every class of conversations with its outcomes, before and after"
    ),
    "verify-certificate": say("check the certificate of a change, with other code than the one that wrote it"),
    "import-sql": say("convert T-SQL scripts of instances to an estate document"),
    "export-sql": say("print the T-SQL that makes an estate, or changes one into another"),
    "collect-sql": say("print the read-only script that collects the catalog of a live instance"),
    "import-catalog": say("convert the results of that script, or grids of its views, to an estate document"),
    "simulate": say("simulate brokers with injected faults, and check that they keep their promises"),
    "estate": say("import files into the live estate, and export its history"),
    "pipeline": say("run Spark jobs on the traffic of a whole estate"),
    "load": say("load a result of the pipeline into the product's database"),
    "up": say("run the whole product on this machine"),
    "worker": say("run a worker of the product, which does what is due"),
    "beat": say("run the clock of the product, which wakes workers"),
    "token": say("create, list and revoke tokens of the REST interface"),
    "user": say("list users, make groups of instances, and let a role be for a group"),
    "keys": say("manage the key pairs of dialog security"),
    "endpoint": say("run the sockets of the hosted instances, through which messages come and go"),
    "host": say("host an instance here: its databases, and where it listens"),
    "broker": say("enable, disable or renew the broker of a database, or end its conversations with an error"),
    "failover": say("fail over a mirrored database: its partners exchange roles"),
    "send": say("send messages from a database of a hosted instance"),
    "receive": say("receive messages from a queue of a hosted instance, as JSON lines"),
    "conversation": say("end or move a conversation, start its timer, or get the next group of a queue"),
    "delayed": say("list the conversations that wait, with what holds them and what mends them"),
    "status": say("show whether the product of this home runs, and what is wrong with it"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is the command's, 2 for bad usage, 4 for bad input."""
    ready_streams()
    bind_usage()
    options = argparse.Namespace()
    try:
        words = one_variable_each(sys.argv[1:] if arguments is None else arguments)
        _parser(_wanted(words)).parse_args(words, options)
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        return _refuse(error, options)
    except BrokenPipeError:
        forget_output()  # the reader of the pipe has closed it
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.errno not in CANNOT_WRITE:
            raise
        forget_output()
        return _refuse(InputError("-", "", say("cannot be written: {reason}", reason=error.strerror)), options)


def _refuse(error: InputError, options: argparse.Namespace) -> int:
    """One line, in the language that the command was asked for, else in that of the environment."""
    language = getattr(options, "lang", None) or environment_language()
    write_error(f"error: {error.render(translation(language))}\n")
    return BAD_INPUT


def _wanted(words: Sequence[str]) -> str | None:
    """The command that is asked for: only its module is loaded."""
    return next((word for word in words if not word.startswith("-")), None)


def _parser(wanted: str | None) -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="brokerui",
        description=local(say("Where Service Broker conversations go, and why.")),
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, allow_abbrev=False, **described(summary))
        if name == wanted:
            module = import_module(f"brokerui.cli.commands.{name.replace('-', '_')}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
