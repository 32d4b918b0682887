CREATE TABLE "tenancy"."renamed_people" (
	"tenant_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"from_id" text NOT NULL,
	"to_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "renamed_people_tenant_id_platform_from_id_pk" PRIMARY KEY("tenant_id","platform","from_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."renamed_people" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."renamed_people" ADD CONSTRAINT "renamed_people_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."renamed_people" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."renamed_people" FORCE ROW LEVEL SECURITY;
