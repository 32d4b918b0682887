ALTER TABLE "webhooks"."parts" ADD COLUMN "waited_ms" bigint DEFAULT 0 NOT NULL;
