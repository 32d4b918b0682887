ALTER TABLE "agents"."early_edits" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."early_edits" ADD COLUMN "unarchived_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "early_edits_to_unarchive" ON "agents"."early_edits" USING btree ("created_at") WHERE deleted_at is not null and unarchived_at is null;
