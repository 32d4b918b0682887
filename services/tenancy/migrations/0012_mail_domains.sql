CREATE TABLE "tenancy"."mail_domains" (
	"tenant_id" uuid NOT NULL,
	"domain" text NOT NULL,
	"proven_at" timestamp (3) with time zone,
	"missing_since" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone,
	"last_error" text,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_domains_tenant_id_domain_pk" PRIMARY KEY("tenant_id","domain")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."mail_domains" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."integrations" ADD COLUMN "proven_domain" text;--> statement-breakpoint
ALTER TABLE "tenancy"."mail_domains" ADD CONSTRAINT "mail_domains_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mail_domains_one_owner" ON "tenancy"."mail_domains" USING btree ("domain") WHERE proven_at is not null;--> statement-breakpoint
CREATE INDEX "mail_domains_due" ON "tenancy"."mail_domains" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."mail_domains" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."mail_domains" FORCE ROW LEVEL SECURITY;
