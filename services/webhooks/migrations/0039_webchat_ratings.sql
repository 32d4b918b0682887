ALTER TABLE "webhooks"."replies" ADD COLUMN "is_answer" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_messages" ADD COLUMN "is_rateable" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_messages" ADD COLUMN "rating" text;
