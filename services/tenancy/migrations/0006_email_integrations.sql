ALTER TABLE "tenancy"."integrations" ADD COLUMN "address" text;--> statement-breakpoint
CREATE INDEX "integrations_by_address" ON "tenancy"."integrations" USING btree ("address") WHERE address is not null;
