#!/bin/sh
# Makes the role that Tidegate reads with, when the database is made.
set -eu
psql --set ON_ERROR_STOP=1 --quiet --username "${POSTGRES_USER:-postgres}" --dbname "$POSTGRES_DB" \
  --set database="$POSTGRES_DB" --set role="${READER:-reader}" \
  --set password="$(cat "${READER_PASSWORD_FILE:-/run/secrets/reader_password}")" <<'SQL'
create role :"role" login password :'password' connection limit 20;
alter role :"role" set default_transaction_read_only = on;
grant connect on database :"database" to :"role";
grant pg_read_all_data to :"role";
SQL
