"""Conversations with a financial adviser and the client data stated in them."""
