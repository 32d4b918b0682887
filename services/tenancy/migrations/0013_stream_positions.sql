ALTER TABLE "tenancy"."outbox" ADD COLUMN "stream_seq" bigint;--> statement-breakpoint
ALTER TABLE "tenancy"."streams" ADD COLUMN "epoch" integer DEFAULT 0 NOT NULL;
