ALTER TABLE "tenancy"."integrations" ADD COLUMN "first_delivery_at" timestamp (3) with time zone;
