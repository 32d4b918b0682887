ALTER TABLE "agents"."messages" ADD COLUMN "template" jsonb;
