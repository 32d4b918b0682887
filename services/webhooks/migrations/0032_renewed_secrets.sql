ALTER TABLE "webhooks"."endpoints" ADD COLUMN "renewal_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks"."endpoints" ADD COLUMN "renewed_secrets" text;--> statement-breakpoint
CREATE INDEX "endpoints_renewed" ON "webhooks"."endpoints" USING btree ("renewal_due_at") WHERE renewal_due_at is not null;
