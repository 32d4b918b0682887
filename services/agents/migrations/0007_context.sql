CREATE TABLE "agents"."context_originals" (
	"tenant_id" uuid NOT NULL,
	"source_id" uuid NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "context_originals_tenant_id_source_id_pk" PRIMARY KEY("tenant_id","source_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."context_originals" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."summaries" (
	"tenant_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"text" text,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "summaries_tenant_id_conversation_id_pk" PRIMARY KEY("tenant_id","conversation_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."summaries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP INDEX "agents"."turns_by_conversation";--> statement-breakpoint
ALTER TABLE "agents"."context_chunks" ALTER COLUMN "words" DROP EXPRESSION;--> statement-breakpoint
ALTER TABLE "agents"."context_sources" ADD COLUMN "ready_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."context_sources" ADD COLUMN "lease_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."context_sources" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."context_sources" ADD COLUMN "revision" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ADD COLUMN "keeps_summary" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "summarized_until" uuid;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "delivery_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "delivery" jsonb;--> statement-breakpoint
CREATE INDEX "context_sources_ready" ON "agents"."context_sources" USING btree ("ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "turns_by_conversation" ON "agents"."turns" USING btree ("tenant_id","conversation_id","turn_id");--> statement-breakpoint
ALTER TABLE "agents"."context_sources" ADD CONSTRAINT "context_sources_by_content" UNIQUE("tenant_id","sha256");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."context_originals" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."summaries" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."context_originals" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."summaries" FORCE ROW LEVEL SECURITY;
