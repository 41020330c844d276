"""Prepared folders: how they are built, described, revised and replaced."""
