"""The REST interface: a module for each resource, and the parts that they share.

Begin with `urls`. A resource is a module of its name (`overview`, `expiries`, `rounds`, …); one with large bodies has
them in a module beside it (`alerts`, `alert_bodies`). Rows of the estate share `resource`, `rows`, `row_views`,
`listing` and `editing`, drafts the modules `change_…`, the product's catalog views `catalog_…`; messages are in
`messaging/`. Every view is built on `base` with its `access`, `etags`, `idempotency` and `problems`; `serializers`,
`fields` and `queries` read a request, `cursors` page a list, and `schema` and `docs` describe all of it.
"""
