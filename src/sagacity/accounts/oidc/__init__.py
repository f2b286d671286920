"""Signing in at an OpenID Connect provider."""
