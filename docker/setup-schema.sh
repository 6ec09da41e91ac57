#!/bin/sh
# Both databases of the Temporal server. Each step passes over what is there already, so that it may
# run again, also after an upgrade of the image.
# Connection: SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD.
set -eu

set_up() {
  database=$1
  schema=$2
  temporal-sql-tool --db "$database" create
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "postgresql/v12/$schema"
}

set_up temporal temporal
set_up temporal_visibility visibility
