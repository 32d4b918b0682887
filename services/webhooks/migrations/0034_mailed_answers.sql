ALTER TABLE "webhooks"."mail_threads" ADD COLUMN "chat_platform" text;--> statement-breakpoint
ALTER TABLE "webhooks"."mail_threads" ADD COLUMN "chat_id" text;--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_visitors" ADD COLUMN "missed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "mail_threads_of_chat" ON "webhooks"."mail_threads" USING btree ("tenant_id","chat_id") WHERE chat_id is not null;--> statement-breakpoint
CREATE INDEX "webchat_visitors_missing" ON "webhooks"."webchat_visitors" USING btree ("tenant_id","missed_at") WHERE missed_at is not null;
