"""Types that several layers share."""
