"""Types shared by several layers."""
