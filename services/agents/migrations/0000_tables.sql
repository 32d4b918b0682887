CREATE SCHEMA IF NOT EXISTS "agents";
--> statement-breakpoint
CREATE TABLE "agents"."agent_definitions" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"instructions" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"keywords" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_definitions_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "agent_definitions_id_unique" UNIQUE("id")
);
--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."bots" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"name" text NOT NULL,
	"agent_ids" uuid[] NOT NULL,
	"is_enabled" boolean NOT NULL,
	"join_window_ms" integer NOT NULL,
	"revision" integer NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "bots_tenant_id_bot_id_pk" PRIMARY KEY("tenant_id","bot_id"),
	CONSTRAINT "bots_bot_id_unique" UNIQUE("bot_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."bots" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."consumer_failures" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"failed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agents"."conversations" (
	"tenant_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"place" jsonb NOT NULL,
	"next_seq" bigint DEFAULT 1 NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"next_reply_seq" bigint DEFAULT 1 NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"waiting_since" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"claims" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"sticky_agent_id" uuid,
	"context_from" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_message_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversations_tenant_id_conversation_id_pk" PRIMARY KEY("tenant_id","conversation_id"),
	CONSTRAINT "conversations_chat_id_unique" UNIQUE("chat_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."conversations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."dead_letters" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"dead_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents"."dead_letters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."inbox" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"consumed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agents"."messages" (
	"tenant_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"seq" bigint NOT NULL,
	"text" text NOT NULL,
	"content" text NOT NULL,
	"command" jsonb,
	"sender" jsonb,
	"agent_id" uuid,
	"status" text NOT NULL,
	"last_error" text,
	"received_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_tenant_id_message_id_pk" PRIMARY KEY("tenant_id","message_id"),
	CONSTRAINT "messages_in_order" UNIQUE("conversation_id","direction","seq")
);
--> statement-breakpoint
ALTER TABLE "agents"."messages" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."outbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"traceparent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agents"."outbox" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."streams" (
	"name" text PRIMARY KEY NOT NULL,
	"created_at" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agents"."turns" (
	"tenant_id" uuid NOT NULL,
	"turn_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"message_ids" uuid[] NOT NULL,
	"reply_id" uuid NOT NULL,
	"agent_id" uuid,
	"outcome" text NOT NULL,
	"failure" text,
	"triage" jsonb,
	"provider" text,
	"model" text,
	"key_id" uuid,
	"key_source" text NOT NULL,
	"context_messages" integer NOT NULL,
	"input_tokens" integer NOT NULL,
	"output_tokens" integer NOT NULL,
	"is_estimated" boolean NOT NULL,
	"duration_ms" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "turns_tenant_id_turn_id_pk" PRIMARY KEY("tenant_id","turn_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."turns" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "conversations_ready" ON "agents"."conversations" USING btree ("ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "conversations_by_bot" ON "agents"."conversations" USING btree ("tenant_id","bot_id");--> statement-breakpoint
CREATE INDEX "messages_by_time" ON "agents"."messages" USING btree ("conversation_id","message_id");--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "agents"."outbox" USING btree ("id") WHERE published_at is null;--> statement-breakpoint
CREATE INDEX "turns_by_conversation" ON "agents"."turns" USING btree ("conversation_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."agent_definitions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."bots" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."conversations" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "agents"."dead_letters" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."messages" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "anyone_writes" ON "agents"."outbox" AS PERMISSIVE FOR INSERT TO public WITH CHECK (true);--> statement-breakpoint
CREATE POLICY "platform_scope" ON "agents"."outbox" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."turns" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."bots" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."conversations" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."dead_letters" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."messages" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."outbox" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."turns" FORCE ROW LEVEL SECURITY;
