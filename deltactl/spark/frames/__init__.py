"""Tables, logs and file actions as DataFrames."""
