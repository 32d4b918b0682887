ALTER TABLE "agents"."messages" ADD COLUMN "dismissed_at" timestamp (3) with time zone;
