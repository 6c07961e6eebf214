"""What is read of tables: reports, tables in folders, and schemas of data."""
