"""Migrations of the tables of studies, by Alembic; shipped with the package."""
