CREATE TABLE "agents"."session_outcomes" (
	"tenant_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"agent_version" integer,
	"conversation_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"person_id" uuid,
	"began_at" timestamp (3) with time zone NOT NULL,
	"outcomes" text[] DEFAULT '{}' NOT NULL,
	"handover_reason" text,
	"turns" integer DEFAULT 0 NOT NULL,
	"duration_ms" bigint DEFAULT 0 NOT NULL,
	"cost_micro_usd" bigint,
	"is_final" boolean DEFAULT false NOT NULL,
	"due_at" timestamp (3) with time zone,
	CONSTRAINT "session_outcomes_tenant_id_session_id_agent_id_pk" PRIMARY KEY("tenant_id","session_id","agent_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."session_outcomes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."session_sweeps" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"after_turn_id" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents"."session_sweeps" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "session_outcomes_due" ON "agents"."session_outcomes" USING btree ("tenant_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "session_outcomes_by_time" ON "agents"."session_outcomes" USING btree ("tenant_id","began_at");--> statement-breakpoint
CREATE INDEX "session_outcomes_by_conversation" ON "agents"."session_outcomes" USING btree ("tenant_id","conversation_id","began_at");--> statement-breakpoint
CREATE INDEX "session_outcomes_by_person" ON "agents"."session_outcomes" USING btree ("tenant_id","person_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."session_outcomes" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."session_sweeps" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."session_outcomes" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."session_sweeps" FORCE ROW LEVEL SECURITY;
