ALTER TABLE "keys"."outbox" ADD COLUMN "stream_seq" bigint;--> statement-breakpoint
ALTER TABLE "keys"."streams" ADD COLUMN "epoch" integer DEFAULT 0 NOT NULL;
