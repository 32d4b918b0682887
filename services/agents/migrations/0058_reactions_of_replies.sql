ALTER TABLE "agents"."messages" ADD COLUMN "reactions" jsonb;
