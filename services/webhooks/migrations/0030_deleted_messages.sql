ALTER TABLE "webhooks"."media" ADD COLUMN "platform_message_id" text;
