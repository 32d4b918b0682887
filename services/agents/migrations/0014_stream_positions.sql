ALTER TABLE "agents"."outbox" ADD COLUMN "stream_seq" bigint;--> statement-breakpoint
ALTER TABLE "agents"."streams" ADD COLUMN "epoch" integer DEFAULT 0 NOT NULL;
