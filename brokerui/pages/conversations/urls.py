"""Addresses of the pages."""

from django.urls import path

from brokerui.pages.conversations import views

app_name = "conversations"
urlpatterns = [
    path("", views.conversations, name="conversations"),
    path("conversations.csv", views.conversations_csv, name="csv"),
    path("<uuid:handle>/", views.conversation, name="conversation"),
]
