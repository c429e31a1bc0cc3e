"""Addresses of signing in and of one's own account."""

from django.urls import path

from brokerui.pages.account import preferences, tokens, views

app_name = "account"
urlpatterns = [
    path("login/", views.SignIn.as_view(), name="login"),
    path("logout/", views.SignOut.as_view(), name="logout"),
    path("password/", views.ChangePassword.as_view(), name="password"),
    path("preferences/", preferences.PreferencesView.as_view(), name="preferences"),
    path("tokens/", tokens.TokensView.as_view(), name="tokens"),
    path("tokens/<slug:key>/revoke/", tokens.revoke, name="revoke"),
]
