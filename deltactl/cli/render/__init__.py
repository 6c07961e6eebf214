"""How a report looks: JSON documents, plain lines, or a rich terminal."""
