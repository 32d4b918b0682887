CREATE TABLE "agents"."context_chunks" (
	"tenant_id" uuid NOT NULL,
	"chunk_id" uuid NOT NULL,
	"source_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"heading" text NOT NULL,
	"text" text NOT NULL,
	"words" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('simple', heading), 'A') || setweight(to_tsvector('simple', text), 'B')) STORED NOT NULL,
	CONSTRAINT "context_chunks_tenant_id_chunk_id_pk" PRIMARY KEY("tenant_id","chunk_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."context_chunks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."context_sources" (
	"tenant_id" uuid NOT NULL,
	"source_id" uuid NOT NULL,
	"title" text NOT NULL,
	"type" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"sha256" text NOT NULL,
	"status" text NOT NULL,
	"last_error" text,
	"chunk_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "context_sources_tenant_id_source_id_pk" PRIMARY KEY("tenant_id","source_id"),
	CONSTRAINT "context_sources_source_id_unique" UNIQUE("source_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."context_sources" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."capability_definitions" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"copied_from" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"instructions" text NOT NULL,
	"keywords" text[] NOT NULL,
	"tool_ids" uuid[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "capability_definitions_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "capability_definitions_id_unique" UNIQUE("id")
);
--> statement-breakpoint
ALTER TABLE "agents"."capability_definitions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_definitions" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"copied_from" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "tool_definitions_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "tool_definitions_id_unique" UNIQUE("id"),
	CONSTRAINT "tool_definitions_by_name" UNIQUE("tenant_id","name")
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_definitions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ADD COLUMN "copied_from" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ADD COLUMN "tool_ids" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ADD COLUMN "capability_ids" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ADD COLUMN "is_enabled" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."turns" ADD COLUMN "deliveries" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."turns" ADD COLUMN "context" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."turns" ADD COLUMN "key_attempts" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."turns" ADD COLUMN "tool_calls" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "context_chunks_by_source" ON "agents"."context_chunks" USING btree ("tenant_id","source_id","position");--> statement-breakpoint
CREATE INDEX "context_chunks_by_words" ON "agents"."context_chunks" USING gin ("words");--> statement-breakpoint
CREATE INDEX "turns_by_reply" ON "agents"."turns" USING btree ("tenant_id","reply_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."context_chunks" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."context_sources" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."capability_definitions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_definitions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."context_chunks" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."context_sources" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."capability_definitions" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_definitions" FORCE ROW LEVEL SECURITY;
