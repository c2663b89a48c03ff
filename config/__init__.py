"""The typed configuration: `schema` (what there is), `loader` (reads a file whole), `secrets`."""
