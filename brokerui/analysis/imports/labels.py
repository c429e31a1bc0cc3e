"""Labels of the page, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.imports.change_lines import CHANGED, NEW, REMOVED
from brokerui.analysis.imports.models import ImportState, Phase
from brokerui.analysis.imports.sources import Kind, Mode

Words = Mapping[str, Promise]

KINDS: Words = {
    Kind.SCRIPT: _("T-SQL script"),
    Kind.CATALOG: _("Catalog (collect-sql, or a grid)"),
    Kind.DOCUMENT: _("Estate document"),
}
MODES: Words = {
    Mode.INSTANCES: _("Replace the instances of these files, keep the others"),
    Mode.INTO: _("Run scripts on the live estate: add to it and change it"),
    Mode.WHOLE: _("Replace the whole estate"),
}
MODE_HINTS: Words = {
    Mode.INSTANCES: _("For scripts that make an instance from nothing, and for documents of some instances."),
    Mode.INTO: _("For scripts that change live objects, such as a deployment."),
    Mode.WHOLE: _("Instances that are in none of the files are removed."),
}
STATES: Words = {
    ImportState.UPLOADED: _("Waits for you"),
    ImportState.READING: _("Being read"),
    ImportState.PREVIEWED: _("Previewed"),
    ImportState.APPLYING: _("Being applied"),
    ImportState.APPLIED: _("Applied"),
    ImportState.FAILED: _("Failed"),
    ImportState.DISCARDED: _("Discarded"),
}
PHASES: Words = {
    Phase.READING: _("Reading the files"),
    Phase.COMPARING: _("Comparing with the live estate"),
    Phase.OUTCOMES: _("Asking where conversations end"),
    Phase.FINDINGS: _("Looking for what is wrong"),
    Phase.KEEPING: _("Keeping the preview"),
}
APPLYING: Words = {Phase.APPLYING: _("Writing the new version")}
VERBS: Words = {NEW: _("new"), CHANGED: _("changed"), REMOVED: _("removed")}
LISTS: Words = {
    "instances": _("instances"),
    "databases": _("databases"),
    "services": _("services"),
    "queues": _("queues"),
    "contracts": _("contracts"),
    "message_types": _("message types"),
    "priorities": _("priorities"),
    "remote_service_bindings": _("remote service bindings"),
    "routes": _("routes"),
    "endpoints": _("endpoints"),
}
