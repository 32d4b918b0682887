ALTER TABLE "webhooks"."mails" ADD COLUMN "is_by_staff" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."replies" ADD COLUMN "is_by_staff" boolean DEFAULT false NOT NULL;
