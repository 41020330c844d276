"""Parts of `error_taxonomy`."""
