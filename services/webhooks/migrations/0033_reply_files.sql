ALTER TABLE "webhooks"."replies" ADD COLUMN "file" jsonb;
