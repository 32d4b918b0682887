CREATE TABLE "tenancy"."ledger_marks" (
	"name" text PRIMARY KEY NOT NULL,
	"mark" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenancy"."ledger_marks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."ledger_marks" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."ledger_marks" FORCE ROW LEVEL SECURITY;
