"""Big synthetic logs, and whole-process measurements of deltactl against its peers on them."""
