ALTER TABLE "tenancy"."policy_migration_rows" DROP CONSTRAINT "policy_migration_rows_migration_id_tenant_id_kind_row_id_pk";--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migration_rows" ADD CONSTRAINT "policy_migration_rows_tenant_id_migration_id_kind_row_id_pk" PRIMARY KEY("tenant_id","migration_id","kind","row_id");--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migration_rows" ADD COLUMN "kept_reason" text;--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migrations" ADD COLUMN "last_error" text;--> statement-breakpoint
CREATE UNIQUE INDEX "policy_migrations_one_at_a_time" ON "tenancy"."policy_migrations" USING btree ((true)) WHERE state <> 'rolledBack';
