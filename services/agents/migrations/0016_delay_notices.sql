ALTER TABLE "agents"."bots" ADD COLUMN "answer_deadline_seconds" integer DEFAULT 60 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."bots" ADD COLUMN "delay_notice_seconds" integer DEFAULT 20 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "delayed_message_id" uuid;
