ALTER TABLE "webhooks"."endpoints" ADD COLUMN "account_id" text;--> statement-breakpoint
CREATE INDEX "endpoints_by_account" ON "webhooks"."endpoints" USING btree ("integration_type","account_id") WHERE deleted_at is null;
