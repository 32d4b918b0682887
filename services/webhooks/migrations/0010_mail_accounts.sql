CREATE TABLE "webhooks"."mail_day_counts" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"hits" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mail_day_counts_tenant_id_bot_id_pk" PRIMARY KEY("tenant_id","bot_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."mail_day_counts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ADD COLUMN "is_counted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."endpoints" ADD COLUMN "proven_domain" text;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."mail_day_counts" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."mail_day_counts" FORCE ROW LEVEL SECURITY;
