ALTER TABLE "agents"."tool_servers" ADD COLUMN "list_ttl_ms" integer;
