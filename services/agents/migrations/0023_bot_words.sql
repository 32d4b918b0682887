ALTER TABLE "agents"."bots" ADD COLUMN "default_language" text DEFAULT 'en' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."bots" ADD COLUMN "words" jsonb DEFAULT '{}'::jsonb NOT NULL;
