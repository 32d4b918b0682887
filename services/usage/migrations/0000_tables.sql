CREATE SCHEMA IF NOT EXISTS "usage";
--> statement-breakpoint
CREATE TABLE "usage"."consumer_failures" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"failed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage"."counters" (
	"tenant_id" uuid NOT NULL,
	"day" date NOT NULL,
	"bot_id" uuid NOT NULL,
	"agent_id" uuid,
	"provider" text,
	"model" text,
	"key_source" text NOT NULL,
	"messages" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"tool_calls" bigint NOT NULL,
	"cost_micro_usd" bigint,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "counters_one_per_use" UNIQUE NULLS NOT DISTINCT("tenant_id","day","bot_id","agent_id","provider","model","key_source")
);
--> statement-breakpoint
ALTER TABLE "usage"."counters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."dead_letters" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"dead_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage"."dead_letters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."inbox" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"consumed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage"."outbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"traceparent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "usage"."outbox" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."streams" (
	"name" text PRIMARY KEY NOT NULL,
	"created_at" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "usage"."outbox" USING btree ("id") WHERE published_at is null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."counters" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "usage"."dead_letters" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "anyone_writes" ON "usage"."outbox" AS PERMISSIVE FOR INSERT TO public WITH CHECK (true);--> statement-breakpoint
CREATE POLICY "platform_scope" ON "usage"."outbox" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "usage"."counters" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."dead_letters" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."outbox" FORCE ROW LEVEL SECURITY;
