ALTER TABLE "webhooks"."webchat_visitors" ADD COLUMN "handling_change_id" uuid;
