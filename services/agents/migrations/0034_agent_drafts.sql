CREATE TABLE "agents"."agent_drafts" (
	"tenant_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"base" integer NOT NULL,
	"fields" jsonb NOT NULL,
	"updated_by" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_drafts_tenant_id_agent_id_pk" PRIMARY KEY("tenant_id","agent_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."agent_drafts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."agent_versions" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "agents"."agent_versions" ADD COLUMN "override_reason" text;--> statement-breakpoint
ALTER TABLE "agents"."agent_drafts" ADD CONSTRAINT "agent_drafts_of_agent" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "agents"."agent_definitions"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."agent_drafts" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."agent_drafts" FORCE ROW LEVEL SECURITY;
