ALTER TABLE "tenancy"."tenants" ADD COLUMN "created_by" uuid;--> statement-breakpoint
ALTER TABLE "tenancy"."tenants" ADD COLUMN "max_bots" bigint;--> statement-breakpoint
ALTER TABLE "tenancy"."tenants" ADD COLUMN "max_edges" bigint;--> statement-breakpoint
ALTER TABLE "tenancy"."tenants" ADD COLUMN "max_groups" bigint;--> statement-breakpoint
ALTER TABLE "tenancy"."users" ADD COLUMN "max_tenants" bigint;--> statement-breakpoint
CREATE INDEX "tenants_by_creator" ON "tenancy"."tenants" USING btree ("created_by");
