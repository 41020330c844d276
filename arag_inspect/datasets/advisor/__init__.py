"""Conversations with a financial adviser and what is learned in them."""
