"""Faults to plant in sound tables, one at a time."""

from planted.actions import ACTIONS
from planted.data import DATA
from planted.files import FILES
from planted.heads import HEADS

FAULTS = [*FILES, *HEADS, *ACTIONS, *DATA]
