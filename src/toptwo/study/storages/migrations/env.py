"""How Alembic reaches the database: through the connection that it is given."""

from alembic import context

from toptwo.study.storages.schema import VERSIONS

if __name__ == "env_py":  # the name under which Alembic runs this file
    context.configure(connection=context.config.attributes["connection"], version_table=VERSIONS)
    with context.begin_transaction():
        context.run_migrations()
