CREATE TABLE "tenancy"."restarts" (
	"restart_id" uuid PRIMARY KEY NOT NULL,
	"service_name" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"instances" jsonb NOT NULL,
	"started_by" uuid NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "tenancy"."restarts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "restarts_one_running" ON "tenancy"."restarts" USING btree ("service_name") WHERE state = 'running';--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."restarts" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."restarts" FORCE ROW LEVEL SECURITY;
