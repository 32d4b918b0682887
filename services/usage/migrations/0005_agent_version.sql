ALTER TABLE "usage"."log_entries" ADD COLUMN "agent_version" integer;
