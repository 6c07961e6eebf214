"""Tables in folders of this machine."""
