"""Addresses of the page."""

from django.urls import path

from brokerui.pages.delayed import actions, bulk_actions, drafting, ending, failing_over, views

app_name = "delayed"
urlpatterns = [
    path("", views.delayed, name="delayed"),
    path("delayed.csv", views.delayed_csv, name="csv"),
    path("retry/", actions.retry, name="retry"),
    path("retry-all/", bulk_actions.retry_all, name="retry_all"),
    path("switch-on/", actions.switch_on, name="switch_on"),
    path("switch-on-all/", bulk_actions.switch_on_all, name="switch_on_all"),
    path("draft-all/", drafting.draft_all, name="draft_all"),
    path("failover/", failing_over.fail_over, name="fail_over"),
    path("end-all/", ending.end_all, name="end_all"),
    path("end/<uuid:handle>/", actions.end, name="end"),
]
