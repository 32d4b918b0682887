ALTER TABLE "webhooks"."replies" ADD COLUMN "traceparent" text;
