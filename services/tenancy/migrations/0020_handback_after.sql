ALTER TABLE "tenancy"."bots" ADD COLUMN "handback_after_minutes" integer DEFAULT 60 NOT NULL;
