"""The files of a log, one by one."""
