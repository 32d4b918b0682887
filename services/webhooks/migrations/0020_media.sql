CREATE TABLE "webhooks"."media" (
	"tenant_id" uuid NOT NULL,
	"media_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"sender_id" text NOT NULL,
	"name" text NOT NULL,
	"file_ref" text,
	"state" text DEFAULT 'waiting' NOT NULL,
	"missing_reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "media_tenant_id_media_id_pk" PRIMARY KEY("tenant_id","media_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."media" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "media_due" ON "webhooks"."media" USING btree ("tenant_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "media_of_conversation" ON "webhooks"."media" USING btree ("tenant_id","conversation_id");--> statement-breakpoint
CREATE INDEX "media_of_sender" ON "webhooks"."media" USING btree ("tenant_id","sender_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."media" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."media" FORCE ROW LEVEL SECURITY;
