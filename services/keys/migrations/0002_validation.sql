ALTER TABLE "keys"."keys" ADD COLUMN "invalidated_by" text;--> statement-breakpoint
ALTER TABLE "keys"."keys" ADD COLUMN "invalidated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "keys"."keys" ADD COLUMN "cool_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "keys"."keys" ADD COLUMN "validation_outcome" text;--> statement-breakpoint
ALTER TABLE "keys"."keys" ADD COLUMN "validated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "keys"."keys" ADD COLUMN "confirmed_at" timestamp (3) with time zone;
