CREATE TABLE "webhooks"."erased_people" (
	"tenant_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"erased_before" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "erased_people_tenant_id_person_id_pk" PRIMARY KEY("tenant_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."erased_people" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."erased_people" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."erased_people" FORCE ROW LEVEL SECURITY;
