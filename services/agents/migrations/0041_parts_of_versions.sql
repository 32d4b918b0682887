ALTER TABLE "agents"."agent_versions" ADD COLUMN "parts" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."agent_versions" ADD COLUMN "content_hash" text;
