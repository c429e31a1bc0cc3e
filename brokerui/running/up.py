"""`brokerui up`: the whole product on this machine, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from brokerui.core.home import home_folder, home_prepare
from brokerui.core.languages import here, local
from brokerui.core.valkey import valkey_command
from brokerui.running.bootstrap import ADMIN_PASSWORD_VARIABLE
from brokerui.running.child import Program
from brokerui.running.listening import address_of, listen, port_of
from brokerui.running.lock import HomeLock
from brokerui.running.log_merge import LogMerge
from brokerui.running.messages import print_failure
from brokerui.running.report import Reports
from brokerui.running.supervisor import Supervisor
from routing.common.errors import Invalid
from routing.common.sentence import say

ON = ("true", "on", "ok", "y", "yes", "1")
"""Values that mean on, as in the settings, which take long to import."""
PIPELINE = ("worker", "--queues", "pipeline")
COMMAND = (sys.executable, "-m", "brokerui.cli.main")


def main(port: int | None = None, host: str = "127.0.0.1") -> int:
    """Run it, with the pages on host:port (default: `PORT` of the environment, else 8000). 0 after a clean stop."""
    home = home_folder()
    # What any of the processes writes is for their user only.
    os.umask(0o077)
    try:
        number = port_of(port)
        home_prepare(home)
        lock = HomeLock(home)
        lock.take()
    except Invalid as fault:
        return _fail(fault.render(here()))
    except OSError as error:
        return _not_ready(error)
    try:
        return _supervisor(home, lock, host, number).run()
    except Invalid as fault:
        return _fail(fault.render(here()))
    except OSError as error:
        return _not_ready(error)
    finally:
        lock.release()


def _supervisor(home: Path, lock: HomeLock, host: str, port: int) -> Supervisor:
    listener = listen(host, port)
    reports = Reports()
    environment = {**os.environ, "BROKERUI_HOME": str(home)}
    # Only the web makes the first user; nobody else is to know the password.
    others = {name: value for name, value in environment.items() if name != ADMIN_PASSWORD_VARIABLE}
    address = address_of(listener)
    served = (listener.detach(), reports.writer)
    web = (sys.executable, "-m", "brokerui.running.web", *map(str, served))
    return Supervisor(
        home=home,
        lock=lock,
        address=address,
        first=[] if os.environ.get("REDIS_URL") else [Program("valkey", valkey_command(home), _bare(others))],
        web=Program("web", web, _named("web", environment), served),
        then=[Program(name, (*COMMAND, *words), _named(name, others)) for name, words in programs().items()],
        last=[Program("pipeline", (*COMMAND, *PIPELINE), _named("pipeline", others))] if _has_pipeline() else [],
        reports=reports,
        together=LogMerge(home, as_json=os.environ.get("LOG_FORMAT") == "json"),
    )


def programs() -> dict[str, tuple[str, ...]]:
    """Names and commands. Readers of queues may take their time: where there are any, they have a worker of their
    own."""
    others = {"beat": ("beat",), "endpoint": ("endpoint",)}
    if not os.environ.get("ACTIVATION_TASKS"):
        return {"worker": ("worker",), **others}
    worker = ("worker", "--queues", "transmit,receive,maintenance")
    return {"worker": worker, **others, "readers": ("worker", "--queues", "activation")}


def _has_pipeline() -> bool:
    """Whether it has an event log or files of traffic to take in, or could generate some."""
    is_logged = os.environ.get("EVENT_LOG", "").lower() in ON
    return is_logged or bool(os.environ.get("TRAFFIC_FOLDER")) or _can_generate()


def _can_generate() -> bool:
    """Whether Spark is installed, and `PIPELINE` does not say that its memory is to be saved."""
    return os.environ.get("PIPELINE", "on").lower() in ON and find_spec("pyspark") is not None


def _named(name: str, environment: dict[str, str]) -> dict[str, str]:
    """As what a process is told of in the logs."""
    return {**environment, "BROKERUI_PROCESS": name}


def _bare(environment: dict[str, str]) -> dict[str, str]:
    """Valkey needs none of our settings, among which are secrets."""
    return {name: environment[name] for name in ("PATH", "LD_LIBRARY_PATH", "TZ") if name in environment}


def _not_ready(error: OSError) -> int:
    return _fail(local(say("the home cannot be made ready: {reason}", reason=str(error))))


def _fail(message: str) -> int:
    print_failure(message)
    return 1


if __name__ == "__main__":
    sys.exit(main())
