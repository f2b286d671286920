"""What the project is made of: locked packages, their licences and known vulnerabilities, a bill of materials."""
