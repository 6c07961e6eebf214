"""The actions of a commit and of a checkpoint as values."""
