CREATE TABLE "webhooks"."bounced_addresses" (
	"tenant_id" uuid NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"bounced_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bounced_addresses_tenant_id_address_pk" PRIMARY KEY("tenant_id","address")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."bounced_addresses" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."link_counts" (
	"key" text PRIMARY KEY NOT NULL,
	"hits" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks"."mail_attachments" (
	"tenant_id" uuid NOT NULL,
	"attachment_id" uuid NOT NULL,
	"mail_id" uuid NOT NULL,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"sha256" text NOT NULL,
	"object_key" text NOT NULL,
	"extracted_text" text,
	"remove_at" timestamp (3) with time zone,
	CONSTRAINT "mail_attachments_tenant_id_attachment_id_pk" PRIMARY KEY("tenant_id","attachment_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."mail_attachments" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."mail_threads" (
	"tenant_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"plus_token" text NOT NULL,
	"subject" text NOT NULL,
	"correspondent" text NOT NULL,
	"correspondent_name" text NOT NULL,
	"references" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_mail_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_threads_tenant_id_thread_id_pk" PRIMARY KEY("tenant_id","thread_id"),
	CONSTRAINT "mail_threads_thread_id_unique" UNIQUE("thread_id"),
	CONSTRAINT "mail_threads_plus_token_unique" UNIQUE("plus_token")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."mail_threads" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."mail_tokens" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"token" text NOT NULL,
	"message_id" text NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_tokens_tenant_id_bot_id_token_pk" PRIMARY KEY("tenant_id","bot_id","token")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."mail_tokens" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."mails" (
	"tenant_id" uuid NOT NULL,
	"mail_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhooks"."mails_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"direction" text NOT NULL,
	"message_id" text NOT NULL,
	"in_reply_to" text,
	"sender" text NOT NULL,
	"sender_name" text NOT NULL,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"original_text" text,
	"html" text,
	"state" text NOT NULL,
	"reason" text,
	"reply_id" uuid,
	"reply_seq" bigint,
	"attempts" integer DEFAULT 0 NOT NULL,
	"is_uncertain" boolean DEFAULT false NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp (3) with time zone,
	CONSTRAINT "mails_tenant_id_mail_id_pk" PRIMARY KEY("tenant_id","mail_id"),
	CONSTRAINT "mails_by_message_id" UNIQUE("tenant_id","bot_id","message_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."sender_grants" (
	"tenant_id" uuid NOT NULL,
	"grant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"granted_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "sender_grants_tenant_id_grant_id_pk" PRIMARY KEY("tenant_id","grant_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."sender_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."sender_tokens" (
	"tenant_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"bot_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"address" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sender_tokens_tenant_id_token_hash_pk" PRIMARY KEY("tenant_id","token_hash"),
	CONSTRAINT "sender_tokens_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."sender_tokens" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."endpoints" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "webhooks"."replies" ADD COLUMN "platform" text DEFAULT 'messenger' NOT NULL;--> statement-breakpoint
CREATE INDEX "mail_attachments_of_mail" ON "webhooks"."mail_attachments" USING btree ("tenant_id","mail_id");--> statement-breakpoint
CREATE INDEX "mail_attachments_to_remove" ON "webhooks"."mail_attachments" USING btree ("remove_at") WHERE remove_at is not null;--> statement-breakpoint
CREATE INDEX "mail_threads_by_bot" ON "webhooks"."mail_threads" USING btree ("tenant_id","bot_id","thread_id");--> statement-breakpoint
CREATE INDEX "mail_threads_by_correspondent" ON "webhooks"."mail_threads" USING btree ("tenant_id","bot_id","correspondent","thread_id");--> statement-breakpoint
CREATE INDEX "mail_tokens_by_age" ON "webhooks"."mail_tokens" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mails_of_thread" ON "webhooks"."mails" USING btree ("tenant_id","thread_id","mail_id");--> statement-breakpoint
CREATE INDEX "mails_from" ON "webhooks"."mails" USING btree ("tenant_id","bot_id","sender","created_at") WHERE direction = 'in';--> statement-breakpoint
CREATE INDEX "mails_ready" ON "webhooks"."mails" USING btree ("tenant_id","ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "mails_waiting" ON "webhooks"."mails" USING btree ("tenant_id","thread_id","position") WHERE state in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "mails_sent_to" ON "webhooks"."mails" USING btree ("tenant_id","recipient","created_at") WHERE direction = 'out';--> statement-breakpoint
CREATE INDEX "mails_held" ON "webhooks"."mails" USING btree ("tenant_id","bot_id","sender") WHERE state = 'held';--> statement-breakpoint
CREATE INDEX "mails_held_by_age" ON "webhooks"."mails" USING btree ("created_at") WHERE state = 'held';--> statement-breakpoint
CREATE UNIQUE INDEX "sender_grants_living" ON "webhooks"."sender_grants" USING btree ("tenant_id","bot_id","kind","value","granted_by") WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX "sender_grants_by_bot" ON "webhooks"."sender_grants" USING btree ("tenant_id","bot_id","grant_id");--> statement-breakpoint
CREATE INDEX "sender_tokens_by_address" ON "webhooks"."sender_tokens" USING btree ("tenant_id","bot_id","address","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "endpoints_by_address" ON "webhooks"."endpoints" USING btree ("address") WHERE deleted_at is null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."bounced_addresses" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."mail_attachments" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."mail_threads" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."mail_tokens" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."mails" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."sender_grants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."sender_tokens" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."bounced_addresses" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mail_attachments" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mail_threads" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mail_tokens" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."sender_grants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."sender_tokens" FORCE ROW LEVEL SECURITY;
