ALTER TABLE "agents"."messages" ADD COLUMN "automatic_reason" text;
