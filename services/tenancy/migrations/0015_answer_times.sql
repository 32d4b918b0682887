ALTER TABLE "tenancy"."bots" ADD COLUMN "answer_deadline_seconds" integer DEFAULT 60 NOT NULL;--> statement-breakpoint
ALTER TABLE "tenancy"."bots" ADD COLUMN "delay_notice_seconds" integer DEFAULT 20 NOT NULL;
