"""What several commands do to table features."""
