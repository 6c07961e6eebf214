"""Verification: what is wrong with a log, each subject a module, each fault a finding."""
