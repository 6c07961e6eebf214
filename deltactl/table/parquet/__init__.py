"""Parquet files: footers, and rows in batches."""
