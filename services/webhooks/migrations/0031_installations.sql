CREATE TABLE "webhooks"."installations" (
	"tenant_id" uuid NOT NULL,
	"state_hash" text NOT NULL,
	"browser_hash" text NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"identity" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "installations_tenant_id_state_hash_pk" PRIMARY KEY("tenant_id","state_hash")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."installations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "installations_by_state" ON "webhooks"."installations" USING btree ("state_hash");--> statement-breakpoint
CREATE INDEX "installations_by_age" ON "webhooks"."installations" USING btree ("expires_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."installations" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."installations" FORCE ROW LEVEL SECURITY;
