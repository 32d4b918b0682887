CREATE TABLE "webhooks"."mail_readings" (
	"tenant_id" uuid NOT NULL,
	"mail_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhooks"."mail_readings_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"is_held" boolean NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"traceparent" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_readings_tenant_id_mail_id_pk" PRIMARY KEY("tenant_id","mail_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."mail_readings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mail_attachments" ADD COLUMN "text_missing" text;--> statement-breakpoint
CREATE INDEX "mail_readings_of_thread" ON "webhooks"."mail_readings" USING btree ("tenant_id","thread_id","position");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."mail_readings" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."mail_readings" FORCE ROW LEVEL SECURITY;
