"""What deltactl is measured against: the shortest script that does the same job with deltalake.

Each prints one JSON value, the fact that deltactl's own output must agree with.
"""
