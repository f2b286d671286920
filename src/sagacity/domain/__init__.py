"""What Sagacity talks about: frozen values and pure rules; imports nothing of ours."""
