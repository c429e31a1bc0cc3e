"""Distances in every picture, in pixels."""

STEP = 12.0
"""Grid of all heights; also the height of a lane."""
BOX_GAP = 24.0
"""Between two boxes of a column."""
TRACK_GAP = 9.0
"""Between two tracks of a channel."""
CLEARANCE = 20.0
"""Between the outer tracks of a channel and what stands beside it: room for an arrow head."""
LABEL_GAP = 22.0
"""Between the label of a line and the box beside it."""
LANE_Y = -4.0
"""Height of the line in a lane, from its top; keeps lines of lanes off the heights of lines of boxes."""
LANE_CLEARANCE = 10.0
"""The least distance between the line in a lane and a box above or below it."""
STAGGER = 2.0
"""Pixels by which every other column is shifted down, unless the diagram is top-aligned."""
MAX_DROP = 48.0
"""How far down a low column may begin."""
MARGIN = 12.0
"""Around the picture."""
PART_GAP = 36.0
"""Between parts of the picture that no line joins."""
ASPECT = 1.1
"""Wanted width of the picture, divided by its height."""
