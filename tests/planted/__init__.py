"""Faults to plant in sound tables, one at a time."""

from planted.actions import ACTIONS
from planted.data import DATA
from planted.files import FILES
from planted.heads import HEADS
from planted.shapes import SHAPES
from planted.versions import VERSIONS

FAULTS = [*FILES, *VERSIONS, *HEADS, *ACTIONS, *DATA, *SHAPES]
