ALTER TABLE "agents"."tool_tickets" ADD COLUMN "pin" text;
