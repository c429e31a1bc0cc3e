"""Addresses of the pages."""

from django.urls import path

from brokerui.pages.conversations import bodies, views

app_name = "conversations"
urlpatterns = [
    path("", views.conversations, name="conversations"),
    path("conversations.csv", views.conversations_csv, name="csv"),
    path("<uuid:handle>/", views.conversation, name="conversation"),
    path("<uuid:handle>/body/<slug:kept>/<int:number>/", bodies.body, name="body"),
]
