CREATE SCHEMA IF NOT EXISTS "webhooks";
--> statement-breakpoint
CREATE TABLE "webhooks"."bot_paces" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"paced_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "bot_paces_tenant_id_bot_id_pk" PRIMARY KEY("tenant_id","bot_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."bot_paces" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."chats" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform_chat_id" text NOT NULL,
	"integration_id" uuid NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"paced_until" timestamp (3) with time zone,
	"blocked_at" timestamp (3) with time zone,
	"blocked_reason" text,
	CONSTRAINT "chats_tenant_id_bot_id_platform_chat_id_pk" PRIMARY KEY("tenant_id","bot_id","platform_chat_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."chats" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."consumer_failures" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"failed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks"."conversations" (
	"tenant_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"last_seq" bigint NOT NULL,
	"next_reply_seq" bigint DEFAULT 1 NOT NULL,
	CONSTRAINT "conversations_tenant_id_conversation_id_pk" PRIMARY KEY("tenant_id","conversation_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."conversations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."dead_letters" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"dead_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks"."dead_letters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."deliveries" (
	"tenant_id" uuid NOT NULL,
	"source" text NOT NULL,
	"bot_id" uuid NOT NULL,
	"event_id" text NOT NULL,
	"delivery_id" uuid NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deliveries_tenant_id_source_bot_id_event_id_pk" PRIMARY KEY("tenant_id","source","bot_id","event_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."deliveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."endpoints" (
	"tenant_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"integration_type" text NOT NULL,
	"is_enabled" boolean NOT NULL,
	"sealed_secrets" text,
	"previous_sealed_secrets" text,
	"revision" integer NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"registered_fingerprint" text,
	"registration_attempts" integer DEFAULT 0 NOT NULL,
	"registration_due_at" timestamp (3) with time zone,
	CONSTRAINT "endpoints_tenant_id_integration_id_pk" PRIMARY KEY("tenant_id","integration_id"),
	CONSTRAINT "endpoints_integration_id_unique" UNIQUE("integration_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."endpoints" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."inbox" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"consumed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks"."outbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"traceparent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "webhooks"."outbox" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."parts" (
	"tenant_id" uuid NOT NULL,
	"part_id" uuid NOT NULL,
	"reply_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform_chat_id" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhooks"."parts_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"thread_id" text,
	"html" text NOT NULL,
	"plain" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"is_uncertain" boolean DEFAULT false NOT NULL,
	"platform_message_id" text,
	"last_error" text,
	CONSTRAINT "parts_tenant_id_part_id_pk" PRIMARY KEY("tenant_id","part_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."parts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNLOGGED TABLE "webhooks"."rate_windows" (
	"client" text PRIMARY KEY NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"hits" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks"."rate_windows" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."replies" (
	"tenant_id" uuid NOT NULL,
	"reply_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"reply_seq" bigint NOT NULL,
	"place" jsonb NOT NULL,
	"text" text NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "replies_tenant_id_reply_id_pk" PRIMARY KEY("tenant_id","reply_id"),
	CONSTRAINT "replies_in_order" UNIQUE("conversation_id","reply_seq")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."replies" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."streams" (
	"name" text PRIMARY KEY NOT NULL,
	"created_at" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "chats_ready" ON "webhooks"."chats" USING btree ("ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_by_age" ON "webhooks"."deliveries" USING btree ("received_at");--> statement-breakpoint
CREATE UNIQUE INDEX "endpoints_live" ON "webhooks"."endpoints" USING btree ("bot_id","integration_type") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "endpoints_due" ON "webhooks"."endpoints" USING btree ("registration_due_at") WHERE registration_due_at is not null;--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "webhooks"."outbox" USING btree ("id") WHERE published_at is null;--> statement-breakpoint
CREATE INDEX "parts_waiting" ON "webhooks"."parts" USING btree ("bot_id","platform_chat_id","position") WHERE state in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "parts_by_reply" ON "webhooks"."parts" USING btree ("reply_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."bot_paces" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."chats" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."conversations" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "webhooks"."dead_letters" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."deliveries" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."endpoints" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "anyone_writes" ON "webhooks"."outbox" AS PERMISSIVE FOR INSERT TO public WITH CHECK (true);--> statement-breakpoint
CREATE POLICY "platform_scope" ON "webhooks"."outbox" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."parts" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "webhooks"."rate_windows" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."replies" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."bot_paces" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."chats" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."conversations" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."dead_letters" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."deliveries" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."endpoints" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."outbox" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."parts" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."rate_windows" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."replies" FORCE ROW LEVEL SECURITY;
