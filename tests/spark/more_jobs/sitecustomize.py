"""Adds the jobs beside this file to those of deltactl, in every process that has it on its path."""

from pathlib import Path

import deltactl.spark.jobs

deltactl.spark.jobs.__path__.append(str(Path(__file__).parent))
