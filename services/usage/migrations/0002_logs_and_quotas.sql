CREATE TABLE "usage"."log_entries" (
	"tenant_id" uuid NOT NULL,
	"turn_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"agent_id" uuid,
	"provider" text,
	"model" text,
	"key_source" text NOT NULL,
	"key_id" uuid,
	"outcome" text NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"tool_calls" bigint NOT NULL,
	"cost_micro_usd" bigint,
	"is_estimated" boolean NOT NULL,
	"duration_ms" bigint NOT NULL,
	"completed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "log_entries_tenant_id_turn_id_pk" PRIMARY KEY("tenant_id","turn_id")
);
--> statement-breakpoint
ALTER TABLE "usage"."log_entries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."quota_use" (
	"tenant_id" uuid NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"messages" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"tool_calls" bigint NOT NULL,
	"cost_micro_usd" bigint,
	"unpriced_turns" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "quota_use_tenant_id_period_start_pk" PRIMARY KEY("tenant_id","period_start")
);
--> statement-breakpoint
ALTER TABLE "usage"."quota_use" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."quota_warnings" (
	"tenant_id" uuid NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"limit_name" text NOT NULL,
	"level" smallint NOT NULL,
	"warned_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "quota_warnings_tenant_id_period_start_limit_name_level_pk" PRIMARY KEY("tenant_id","period_start","limit_name","level")
);
--> statement-breakpoint
ALTER TABLE "usage"."quota_warnings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."quotas" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"period" text NOT NULL,
	"messages" bigint,
	"input_tokens" bigint,
	"output_tokens" bigint,
	"cost_micro_usd" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"reset_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "usage"."quotas" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."reservations" (
	"tenant_id" uuid NOT NULL,
	"reservation_id" uuid NOT NULL,
	"messages" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cost_micro_usd" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "reservations_tenant_id_reservation_id_pk" PRIMARY KEY("tenant_id","reservation_id")
);
--> statement-breakpoint
ALTER TABLE "usage"."reservations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."counters" ADD COLUMN "unpriced_turns" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
SELECT set_config('app.platform', 'what was counted has no price', true);--> statement-breakpoint
UPDATE "usage"."counters" SET "unpriced_turns" = "messages" WHERE "cost_micro_usd" IS NULL;--> statement-breakpoint
CREATE INDEX "log_entries_by_time" ON "usage"."log_entries" USING btree ("tenant_id","completed_at","turn_id");--> statement-breakpoint
CREATE INDEX "log_entries_by_bot" ON "usage"."log_entries" USING btree ("tenant_id","bot_id","completed_at","turn_id");--> statement-breakpoint
CREATE INDEX "log_entries_by_agent" ON "usage"."log_entries" USING btree ("tenant_id","agent_id","completed_at","turn_id");--> statement-breakpoint
CREATE INDEX "log_entries_by_provider" ON "usage"."log_entries" USING btree ("tenant_id","provider","completed_at","turn_id");--> statement-breakpoint
CREATE INDEX "log_entries_by_model" ON "usage"."log_entries" USING btree ("tenant_id","model","completed_at","turn_id");--> statement-breakpoint
CREATE INDEX "log_entries_by_key_source" ON "usage"."log_entries" USING btree ("tenant_id","key_source","completed_at","turn_id");--> statement-breakpoint
CREATE INDEX "log_entries_by_outcome" ON "usage"."log_entries" USING btree ("tenant_id","outcome","completed_at","turn_id");--> statement-breakpoint
CREATE INDEX "reservations_open" ON "usage"."reservations" USING btree ("tenant_id","expires_at") WHERE settled_at is null;--> statement-breakpoint
CREATE INDEX "reservations_old" ON "usage"."reservations" USING btree ("expires_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."log_entries" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."quota_use" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."quota_warnings" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."quotas" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."reservations" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "usage"."log_entries" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."quota_use" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."quota_warnings" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."quotas" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."reservations" FORCE ROW LEVEL SECURITY;
