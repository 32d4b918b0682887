ALTER TABLE "agents"."evaluation_results" ADD COLUMN "case_updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_sets" ADD COLUMN "required" boolean DEFAULT false NOT NULL;
