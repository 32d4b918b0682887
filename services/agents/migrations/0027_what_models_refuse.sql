CREATE TABLE "agents"."model_adjustments" (
	"tenant_id" uuid NOT NULL,
	"address" text NOT NULL,
	"model" text NOT NULL,
	"adjustments" jsonb DEFAULT '{"leftOut":[]}'::jsonb NOT NULL,
	"learned_at" timestamp (3) with time zone,
	"refusal" text,
	"refused_at" timestamp (3) with time zone,
	CONSTRAINT "model_adjustments_tenant_id_address_model_pk" PRIMARY KEY("tenant_id","address","model")
);
--> statement-breakpoint
ALTER TABLE "agents"."model_adjustments" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "is_left_out" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."turns" ADD COLUMN "model_record" jsonb;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."model_adjustments" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."model_adjustments" FORCE ROW LEVEL SECURITY;
