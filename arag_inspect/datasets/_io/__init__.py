"""Files from elsewhere: downloads, hub, rows of any format."""
