"""Several conversations ended at once: shown first with their losses, and then the result of each."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.acts.ending import EndHow, EndPlan, end_each, end_plans
from brokerui.pages.delayed.bulk import CONFIRMED, BulkPage, BulkRow, bulk_page, left_out_words, results_title
from brokerui.pages.delayed.choosing import chosen_handles
from routing.dialog.error_message import MAX_DESCRIPTION_CHARACTERS, MAX_ERROR_CODE


class EndForm(forms.Form):
    """How conversations are ended: with an error, or with cleanup."""

    how = forms.ChoiceField(
        choices=[("error", _lazy("With an error")), ("cleanup", _lazy("With cleanup"))],
        widget=forms.RadioSelect,
        initial="error",
        label=_lazy("How"),
    )
    code = forms.IntegerField(min_value=1, max_value=MAX_ERROR_CODE, initial=1, label=_lazy("Code"))
    description = forms.CharField(
        max_length=MAX_DESCRIPTION_CHARACTERS, label=_lazy("Text"), initial=_lazy("Ended by an operator.")
    )

    def end_how(self) -> EndHow:
        """The choice; of a form that is not valid, the one that was shown first."""
        first = {name: self[name].initial for name in self.fields}
        values = self.cleaned_data if self.is_bound and self.is_valid() else first
        if values["how"] == "cleanup":
            return EndHow(cleanup=True)
        return EndHow(values["code"], str(values["description"]))


@access(write=Level.OPERATE)
@require_POST
def end_all(request: HttpRequest) -> HttpResponse:
    """End the conversations that were chosen: show first which they are and their losses, then the result of each."""
    handles, left_out = chosen_handles(request.POST)
    form = EndForm(request.POST if "how" in request.POST else None)
    is_done = CONFIRMED in request.POST and form.is_valid()
    how = form.end_how()
    plans = end_plans(handles, how)
    if is_done:
        plans = end_each(plans, how, request.user.get_username())
    rows = [_plan_row(plan, how, is_done) for plan in plans]
    able = sum(not plan.refusal for plan in plans)
    page = BulkPage(
        title=_ended_title(able, len(plans) - able) if is_done else _("End these conversations?"),
        lead=_end_lead(how, is_done),
        heading=_end_heading(plans),
        heads=[_("To service"), _("From"), _("Handle"), _("Messages"), _("Deleted"), _("Other side")],
        rows=rows,
        field_name="handle",
        button="" if is_done or not able else _end_button(able),
        is_done=is_done,
        left_out=left_out_words(left_out),
        nothing=_("Nothing is delayed there any more"),
        more={"form": form, "able": able},
    )
    return bulk_page(request, page, "delayed/end_all.html")


def _plan_row(plan: EndPlan, how: EndHow, is_done: bool) -> BulkRow:
    notified = _("receives the error") if plan.is_notified else _("is not notified")
    cells = (
        f"{plan.instance}/{plan.database}" if plan.instance else "",
        plan.handle,
        plan.messages,
        plan.deleted,
        "" if plan.refusal else notified,
    )
    return BulkRow(plan.service, cells, plan.handle, plan.refusal, _("ended") if is_done and not plan.refusal else "")


def _end_lead(how: EndHow, is_done: bool) -> str:
    if is_done:
        return _("Each conversation was ended for itself: a refusal of one changes nothing of the others.")
    if how.cleanup:
        return _(
            "Nothing has been done yet. END CONVERSATION WITH CLEANUP removes them at once, on this side only. This"
            " cannot be undone."
        )
    return _(
        "Nothing has been done yet. Messages that were not sent are deleted; where something was sent, the other side"
        " receives the error, and the error waits as long as the cause remains. This cannot be undone."
    )


def _end_heading(plans: list[EndPlan]) -> str:
    number = sum(plan.messages for plan in plans)
    messages = ngettext("%(n)s message", "%(n)s messages", number) % {"n": f"{number:,}"}
    text = ngettext("%(n)s conversation with %(messages)s", "%(n)s conversations with %(messages)s", len(plans))
    return text % {"n": f"{len(plans):,}", "messages": messages}


def _end_button(able: int) -> str:
    return ngettext("End %(n)s conversation", "End %(n)s conversations", able) % {"n": f"{able:,}"}


def _ended_title(ended: int, refused: int) -> str:
    text = ngettext("%(n)s conversation is ended", "%(n)s conversations are ended", ended) % {"n": f"{ended:,}"}
    return results_title(text, refused)
