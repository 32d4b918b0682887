ALTER TABLE "agents"."messages" ADD COLUMN "mail" jsonb;
