#!/bin/sh
# The store of diligence: a role and a database of their own, beside those of the Temporal server.
# Run by the PostgreSQL image when its volume is new.
set -eu

psql --set ON_ERROR_STOP=1 --set password="$STORE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE diligence LOGIN PASSWORD :'password';
CREATE DATABASE diligence OWNER diligence ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE diligence FROM PUBLIC;
SQL
