"""`manage.py demo`: simulated machines, a real router in a child process, invented traffic; no Django in here."""
