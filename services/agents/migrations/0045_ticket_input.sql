ALTER TABLE "agents"."tool_tickets" ADD COLUMN "input_round" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."tool_tickets" ADD COLUMN "input_forms" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."tool_tickets" ADD COLUMN "request_state" text;--> statement-breakpoint
ALTER TABLE "agents"."tool_tickets" ADD COLUMN "inputs" jsonb;
