ALTER TABLE "tenancy"."integrations" ADD COLUMN "registration_mode" text;
