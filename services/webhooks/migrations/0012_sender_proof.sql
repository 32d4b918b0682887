ALTER TABLE "webhooks"."mails" ADD COLUMN "sender_proof" text DEFAULT 'unknown' NOT NULL;
