"""Parts of `section_coverage`."""
