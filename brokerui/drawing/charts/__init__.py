"""Plotly charts: `lines`, `matrix` and `sankey` make figures as pure functions from rows, in the look of `look`.

A page's own module calls one of them; templates/charts/_chart.html writes the figure as JSON, and static/js/chart.js
draws it with plotly.js (`plotly_file`).
"""
