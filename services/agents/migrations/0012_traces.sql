ALTER TABLE "agents"."messages" ADD COLUMN "traceparent" text;
