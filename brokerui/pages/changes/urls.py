"""Addresses of drafts."""

from django.urls import path

from brokerui.pages.changes import (
    copying,
    drawn_edits,
    editing,
    effect_views,
    panels,
    remedy,
    review_views,
    rows,
    sql_views,
    version_views,
    views,
)

app_name = "changes"
urlpatterns = [
    path("", views.change_list, name="list"),
    path("remedy/", remedy.remedy, name="remedy"),
    path("versions/<int:number>/", version_views.version, name="version"),
    path("versions/<int:number>/restore/", version_views.version_restore, name="restore"),
    path("<int:number>/", views.change_detail, name="change"),
    path("<int:number>/sql/", sql_views.draft_sql, name="sql"),
    path("<int:number>/sql/preview/", sql_views.draft_sql_preview, name="sql-preview"),
    path("<int:number>/effect/", effect_views.effect, name="effect"),
    path("<int:number>/effect-line/", effect_views.effect_line, name="effect-line"),
    path("<int:number>/route/", editing.route_form, name="route-form"),
    path("<int:number>/row/<str:kind>/", editing.row_form, name="row-form"),
    path("<int:number>/rows/", rows.rows, name="rows"),
    path("<int:number>/rows/preview/", rows.rows_preview, name="rows-preview"),
    path("<int:number>/add/", panels.add, name="add"),
    path("<int:number>/findings/", panels.findings, name="findings"),
    path("<int:number>/edits/<int:index>/sql/", panels.edit_sql, name="edit-sql"),
    path("<int:number>/drawn/", drawn_edits.drawn, name="drawn"),
    path("<int:number>/undo/", views.change_undo, name="undo"),
    path("<int:number>/redo/", views.change_redo, name="redo"),
    path("<int:number>/remove/", views.change_remove, name="remove"),
    path("<int:number>/review/", review_views.change_review, name="review"),
    path("<int:number>/submit/", review_views.change_submit, name="submit"),
    path("<int:number>/approve/", review_views.change_approve, name="approve"),
    path("<int:number>/reject/", review_views.change_reject, name="reject"),
    path("<int:number>/reopen/", review_views.change_reopen, name="reopen"),
    path("<int:number>/comment/", review_views.change_comment, name="comment"),
    path("<int:number>/rebase/", review_views.change_rebase, name="rebase"),
    path("<int:number>/apply/", review_views.change_apply, name="apply"),
    path("<int:number>/confirm/", review_views.change_confirm, name="confirm"),
    path("<int:number>/rollback/", review_views.change_rollback, name="rollback"),
    path("<int:number>/copy/", copying.change_copy, name="copy"),
    path("<int:number>/discard/", views.change_discard, name="discard"),
]
