ALTER TABLE "webhooks"."chats" ALTER COLUMN "platform" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "webhooks"."replies" ALTER COLUMN "platform" DROP DEFAULT;
