ALTER TABLE "agents"."evaluation_cases" ADD COLUMN "sources_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_cases" ADD COLUMN "bytes" integer DEFAULT 0 NOT NULL;
