"""The feature that guards checkpoints, and the history that goes with them, below a version."""

PROTECTION = "checkpointProtection"
PROTECTED_BEFORE = "delta.requireCheckpointProtectionBeforeVersion"
