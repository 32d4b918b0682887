ALTER TABLE "agents"."messages" ADD COLUMN "receipt" jsonb;
