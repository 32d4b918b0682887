ALTER TABLE "webhooks"."mails" ADD COLUMN "language" text;
