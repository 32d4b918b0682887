ALTER TABLE "tenancy"."policy_migration_rows" ADD COLUMN "kept_reason" text;--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migrations" ADD COLUMN "last_error" text;--> statement-breakpoint
CREATE UNIQUE INDEX "policy_migrations_one_at_a_time" ON "tenancy"."policy_migrations" USING btree ((true)) WHERE state <> 'rolledBack';
