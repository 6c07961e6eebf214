"""The checks of `verify-checksum`: one module a subject, each yielding findings."""
