ALTER TABLE "webhooks"."replies" ADD COLUMN "template" jsonb;
