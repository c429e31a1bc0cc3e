"""Addresses of the pages."""

from django.urls import path

from brokerui.pages.servers import views

app_name = "servers"
urlpatterns = [
    path("", views.server_list, name="list"),
    path("paste/", views.Paste.as_view(), name="paste"),
    path("server/<str:server_id>/", views.server, name="server"),
    path("leak/<str:database_id>/", views.leak, name="leak"),
    path("leak/<str:database_id>/groups.csv", views.groups_csv, name="groups_csv"),
    path("leak/<str:database_id>/growth.csv", views.growth_csv, name="growth_csv"),
    path("collections/<int:number>/delete/", views.delete, name="delete"),
]
