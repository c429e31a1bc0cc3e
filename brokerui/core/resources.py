"""Find the files that BrokerUI reads at run time and that are no Python: templates, styles, examples, findings pages.

In a checkout they stand at its top. A wheel has them in `brokerui/_data`, where `setup.py` copies these folders.
"""

from __future__ import annotations

from pathlib import Path

from brokerui.core.home import CHECKOUT, is_checkout

TEMPLATES, STATIC, EXAMPLES, FINDINGS = "templates", "static", "examples", "docs/reference/findings"
FOLDERS = (TEMPLATES, STATIC, EXAMPLES, FINDINGS)
PACKAGED = Path(__file__).resolve().parents[1] / "_data"


def resource_folder(name: str) -> Path:
    """Return one of `FOLDERS`: that of the checkout, or the copy in an installed wheel."""
    assert name in FOLDERS, name
    return (CHECKOUT if is_checkout() else PACKAGED) / name
