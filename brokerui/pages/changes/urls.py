"""Addresses of drafts."""

from django.urls import path

from brokerui.pages.changes import drawn_edits, editing, effect_views, panels, rows, views

app_name = "changes"
urlpatterns = [
    path("", views.change_list, name="list"),
    path("<int:number>/", views.change_detail, name="change"),
    path("<int:number>/effect/", effect_views.effect, name="effect"),
    path("<int:number>/effect-line/", effect_views.effect_line, name="effect-line"),
    path("<int:number>/route/", editing.route_form, name="route-form"),
    path("<int:number>/row/<str:kind>/", editing.row_form, name="row-form"),
    path("<int:number>/rows/", rows.rows, name="rows"),
    path("<int:number>/add/", panels.add, name="add"),
    path("<int:number>/findings/", panels.findings, name="findings"),
    path("<int:number>/edits/<int:index>/sql/", panels.edit_sql, name="edit-sql"),
    path("<int:number>/drawn/", drawn_edits.drawn, name="drawn"),
    path("<int:number>/undo/", views.change_undo, name="undo"),
    path("<int:number>/redo/", views.change_redo, name="redo"),
    path("<int:number>/remove/", views.change_remove, name="remove"),
    path("<int:number>/discard/", views.change_discard, name="discard"),
]
