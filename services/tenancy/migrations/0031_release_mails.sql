CREATE TABLE "tenancy"."release_mails" (
	"tenant_id" uuid NOT NULL,
	"release_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"mail_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"agent_name" text NOT NULL,
	"version" integer NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"sends" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "release_mails_tenant_id_release_id_user_id_pk" PRIMARY KEY("tenant_id","release_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."release_mails" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."release_mails" ADD CONSTRAINT "release_mails_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."release_mails" ADD CONSTRAINT "release_mails_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "tenancy"."users"("user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "release_mails_by_due" ON "tenancy"."release_mails" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."release_mails" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."release_mails" FORCE ROW LEVEL SECURITY;
