CREATE TABLE "webhooks"."webhook_checks" (
	"tenant_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"called_at" timestamp (3) with time zone,
	"base_url" text,
	"answered_error_at" timestamp (3) with time zone,
	"repairs" integer DEFAULT 0 NOT NULL,
	"last_repair_at" timestamp (3) with time zone,
	"last_repair_reason" text,
	CONSTRAINT "webhook_checks_tenant_id_integration_id_pk" PRIMARY KEY("tenant_id","integration_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."webhook_checks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."webhook_checks" ADD CONSTRAINT "webhook_checks_of_endpoint" FOREIGN KEY ("tenant_id","integration_id") REFERENCES "webhooks"."endpoints"("tenant_id","integration_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_checks_due" ON "webhooks"."webhook_checks" USING btree ("due_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."webhook_checks" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."webhook_checks" FORCE ROW LEVEL SECURITY;
