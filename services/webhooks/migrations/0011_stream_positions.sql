ALTER TABLE "webhooks"."outbox" ADD COLUMN "stream_seq" bigint;--> statement-breakpoint
ALTER TABLE "webhooks"."streams" ADD COLUMN "epoch" integer DEFAULT 0 NOT NULL;
