CREATE TABLE "agents"."agent_versions" (
	"tenant_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"content" jsonb NOT NULL,
	"bytes" integer NOT NULL,
	"changed" text[] NOT NULL,
	"restored_from" integer,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_versions_tenant_id_agent_id_version_pk" PRIMARY KEY("tenant_id","agent_id","version")
);
--> statement-breakpoint
ALTER TABLE "agents"."agent_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."agent_versions" ADD CONSTRAINT "agent_versions_of_agent" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "agents"."agent_definitions"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."agent_versions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."agent_versions" FORCE ROW LEVEL SECURITY;
