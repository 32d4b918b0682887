ALTER TABLE "webhooks"."replies" ADD COLUMN "choices" jsonb;--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_messages" ADD COLUMN "choices" jsonb;
