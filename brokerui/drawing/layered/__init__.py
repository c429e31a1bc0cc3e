"""The layered layout of every picture: boxes in columns, and lines between them that never run through a box.

`lay_out(Diagram(nodes, edges))` gives a `LayeredLayout`: where each box stands, the corners of each line, and where its
label stands. The same diagram always gives the same layout. Nothing here knows what a box stands for or how it looks.

Words: a *column* holds boxes, one under another. A *channel* is the room between two columns; channel 0 lies at the
left of column 0. A *track* is a vertical piece of line in a channel. A *lane* is the room that a line takes in a
column which it passes, between two boxes. The edges of one *bundle* share tracks and lanes, others never do.
"""
