ALTER TABLE "agents"."messages" ADD COLUMN "choices" jsonb;
