ALTER TABLE "agents"."messages" ADD COLUMN "rating" text;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "rated_at" timestamp (3) with time zone;
