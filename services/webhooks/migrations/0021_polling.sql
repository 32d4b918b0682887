ALTER TABLE "webhooks"."endpoints" ADD COLUMN "poll_lease_until" timestamp (3) with time zone;
