"""Addresses of the pages."""

from django.urls import path

from brokerui.pages.alerts import channel_views, views

app_name = "alerts"
urlpatterns = [
    path("", views.alert_list, name="alerts"),
    path("rules/new/", views.NewRule.as_view(), name="rule_new"),
    path("rules/<int:number>/", views.ChangeRule.as_view(), name="rule"),
    path("rules/<int:number>/delete/", views.delete_rule, name="rule_delete"),
    path("silences/new/", views.NewSilence.as_view(), name="silence_new"),
    path("silences/<int:number>/end/", views.end_silence, name="silence_end"),
    path("channels/new/", channel_views.NewChannel.as_view(), name="channel_new"),
    path("channels/<int:number>/switch/", channel_views.switch, name="channel_switch"),
    path("channels/<int:number>/test/", channel_views.test, name="channel_test"),
    path("channels/<int:number>/delete/", channel_views.delete, name="channel_delete"),
]
