ALTER TABLE "tenancy"."integrations" ADD COLUMN "account_changed_at" timestamp (3) with time zone;
