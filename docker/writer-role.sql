-- The rights of a role for workers and commands, `diligence_writer`: all that they need, and none to change what the
-- audit trail says. Run by the owner of the store when it was made, and after each update of its schema.
GRANT USAGE ON SCHEMA public TO diligence_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO diligence_writer;
REVOKE UPDATE, DELETE ON event, anchor, anchor_head FROM diligence_writer;
REVOKE INSERT, UPDATE, DELETE ON schema_version FROM diligence_writer;
