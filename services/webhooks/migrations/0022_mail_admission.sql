ALTER TABLE "webhooks"."mail_attachments" ADD COLUMN "is_inline" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ADD COLUMN "admitted_at" timestamp (3) with time zone;
