"""The home: the one folder into which a running BrokerUI writes (database, secret key, collected files).

Several run on one machine by having a home each.
"""

import os
import secrets
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SECRET_BYTES = 48


def home_folder() -> Path:
    """`BROKERUI_HOME`, else `var/` of the checkout; without a checkout the user's folder for data. Not made here."""
    given = os.environ.get("BROKERUI_HOME")
    if given:
        return Path(given).expanduser().resolve()
    return CHECKOUT / "var" if is_checkout() else _of_the_user()


def is_checkout() -> bool:
    """Return whether this code runs in a checkout, and not in an installed wheel."""
    return (CHECKOUT / "pyproject.toml").is_file()


def _of_the_user() -> Path:
    """The folder for data of the user who runs the program: never among the packages, which an update replaces."""
    folder = os.environ.get("XDG_DATA_HOME", "")
    # As the convention has it, a path that is not absolute is none.
    return (Path(folder) if Path(folder).is_absolute() else Path.home() / ".local/share") / "brokerui"


def home_prepare(home: Path) -> None:
    """Make the folder, readable for its owner only: it holds the key and what users upload."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)


def secret_key(home: Path) -> str:
    """The key that signs cookies and forms."""
    return secret_kept(home, "secret.key")


def secret_kept(home: Path, name: str) -> str:
    """A secret in a file of the home: made at random at first, then read."""
    path = home / name
    if not path.exists():
        _write_once(path, secrets.token_urlsafe(SECRET_BYTES))
    return path.read_text(encoding="ascii").strip()


def _write_once(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all.

    Two processes may start at the same moment. `link` refuses where the name is taken, so the first key wins
    and nobody reads half of one.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text + "\n")
    try:
        os.link(name, path)
    except FileExistsError:
        pass
    finally:
        Path(name).unlink()
