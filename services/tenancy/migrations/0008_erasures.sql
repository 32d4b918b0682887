CREATE TABLE "tenancy"."erasures" (
	"tenant_id" uuid NOT NULL,
	"erasure_id" uuid NOT NULL,
	"person_ids" uuid[] NOT NULL,
	"erased_before" timestamp (3) with time zone NOT NULL,
	"state" text NOT NULL,
	"sealed_subject" text,
	"step" integer DEFAULT 0 NOT NULL,
	"receipts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"runs" integer DEFAULT 0 NOT NULL,
	"waits_for" text,
	"noted_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"ready_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "erasures_tenant_id_erasure_id_pk" PRIMARY KEY("tenant_id","erasure_id"),
	CONSTRAINT "erasures_erasure_id_unique" UNIQUE("erasure_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."erasures" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."erasures" ADD CONSTRAINT "erasures_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "erasures_ready" ON "tenancy"."erasures" USING btree ("ready_at") WHERE state <> 'done';--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."erasures" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."erasures" FORCE ROW LEVEL SECURITY;
