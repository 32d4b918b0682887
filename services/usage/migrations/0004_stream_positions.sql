ALTER TABLE "usage"."outbox" ADD COLUMN "stream_seq" bigint;--> statement-breakpoint
ALTER TABLE "usage"."streams" ADD COLUMN "epoch" integer DEFAULT 0 NOT NULL;
