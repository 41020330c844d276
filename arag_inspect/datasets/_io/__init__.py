"""Input files: downloads, hub, records of any format."""
