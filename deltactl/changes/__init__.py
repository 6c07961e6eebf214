"""How a table is changed: a plan is drawn up, shown, asked for and carried out."""
