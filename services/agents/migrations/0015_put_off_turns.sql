ALTER TABLE "agents"."conversations" ADD COLUMN "tried_since" timestamp (3) with time zone;
