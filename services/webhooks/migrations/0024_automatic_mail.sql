ALTER TABLE "webhooks"."mail_threads" ADD COLUMN "thread_index" text;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ADD COLUMN "is_automatic" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "mails_ignored" ON "webhooks"."mails" USING btree ("tenant_id","bot_id","created_at") WHERE state = 'ignored';
