ALTER TABLE "tenancy"."bots" ADD COLUMN "answer_within_minutes" integer DEFAULT 60 NOT NULL;
