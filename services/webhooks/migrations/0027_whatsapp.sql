CREATE TABLE "webhooks"."whatsapp_numbers" (
	"phone_number_id" text PRIMARY KEY NOT NULL,
	"business_account_id" text NOT NULL,
	"display_number" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_numbers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."whatsapp_people" (
	"tenant_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"person_id" text NOT NULL,
	"phone" text,
	"renamed_to" text,
	"renamed_at" timestamp (3) with time zone,
	"last_message_id" text,
	"last_message_at" timestamp (3) with time zone,
	CONSTRAINT "whatsapp_people_tenant_id_integration_id_person_id_pk" PRIMARY KEY("tenant_id","integration_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_people" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."whatsapp_templates" (
	"tenant_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"name" text NOT NULL,
	"language" text NOT NULL,
	"status" text NOT NULL,
	"category" text NOT NULL,
	"is_named" boolean NOT NULL,
	"components" jsonb NOT NULL,
	"synced_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whatsapp_templates_tenant_id_integration_id_name_language_pk" PRIMARY KEY("tenant_id","integration_id","name","language")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_templates" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_people" ADD CONSTRAINT "whatsapp_people_of_endpoint" FOREIGN KEY ("tenant_id","integration_id") REFERENCES "webhooks"."endpoints"("tenant_id","integration_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_templates" ADD CONSTRAINT "whatsapp_templates_of_endpoint" FOREIGN KEY ("tenant_id","integration_id") REFERENCES "webhooks"."endpoints"("tenant_id","integration_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "whatsapp_numbers_by_account" ON "webhooks"."whatsapp_numbers" USING btree ("business_account_id");--> statement-breakpoint
CREATE INDEX "whatsapp_people_by_phone" ON "webhooks"."whatsapp_people" USING btree ("tenant_id","integration_id","phone");--> statement-breakpoint
CREATE POLICY "platform_scope" ON "webhooks"."whatsapp_numbers" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."whatsapp_people" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."whatsapp_templates" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_numbers" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_people" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."whatsapp_templates" FORCE ROW LEVEL SECURITY;
