"""Rectangles of a picture, in pixels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle: its left upper corner, its width and its height."""

    x: float
    y: float
    w: float
    h: float

    def moved(self, x: float, y: float) -> Area:
        """Return the rectangle moved right and down by pixels."""
        return Area(self.x + x, self.y + y, self.w, self.h)

    def overlaps(self, other: Area) -> bool:
        across = self.x < other.x + other.w and other.x < self.x + self.w
        return across and self.y < other.y + other.h and other.y < self.y + self.h

    def holds(self, other: Area) -> bool:
        across = self.x <= other.x and other.x + other.w <= self.x + self.w
        return across and self.y <= other.y and other.y + other.h <= self.y + self.h
