CREATE TABLE "usage"."allowance_use" (
	"tenant_id" uuid NOT NULL,
	"month_start" date NOT NULL,
	"kind" text NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "allowance_use_tenant_id_month_start_kind_pk" PRIMARY KEY("tenant_id","month_start","kind")
);
--> statement-breakpoint
ALTER TABLE "usage"."allowance_use" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "usage"."allowances" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"public_tokens" bigint,
	"private_tokens" bigint,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage"."allowances" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."reservations" ADD COLUMN "allowance" text;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."allowance_use" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "usage"."allowances" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "usage"."allowance_use" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "usage"."allowances" FORCE ROW LEVEL SECURITY;
