ALTER TABLE "webhooks"."endpoints" ADD COLUMN "first_delivery_at" timestamp (3) with time zone;
