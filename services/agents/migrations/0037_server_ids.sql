ALTER TABLE "agents"."agent_definitions" ADD COLUMN "server_ids" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."tool_executions" ADD COLUMN "pin" text;
