ALTER TABLE "tenancy"."bots" ADD COLUMN "asks_for_rating" boolean DEFAULT false NOT NULL;
