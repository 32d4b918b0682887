ALTER TABLE "agents"."conversations" ADD COLUMN "session_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "agent_version" integer;--> statement-breakpoint
ALTER TABLE "agents"."turns" ADD COLUMN "agent_version" integer;--> statement-breakpoint
ALTER TABLE "agents"."turns" ADD COLUMN "session_id" uuid;
