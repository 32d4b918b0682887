CREATE TABLE "agents"."agent_releases" (
	"tenant_id" uuid NOT NULL,
	"release_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"share" integer NOT NULL,
	"steps" jsonb NOT NULL,
	"rules" jsonb NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"reason" text,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "agent_releases_tenant_id_release_id_pk" PRIMARY KEY("tenant_id","release_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."agent_releases" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."release_changes" (
	"tenant_id" uuid NOT NULL,
	"change_id" uuid NOT NULL,
	"release_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"share" integer NOT NULL,
	"reason" text,
	"user_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "release_changes_tenant_id_change_id_pk" PRIMARY KEY("tenant_id","change_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."release_changes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."release_sessions" (
	"tenant_id" uuid NOT NULL,
	"release_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"is_candidate" boolean NOT NULL,
	"person_id" uuid,
	"began_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "release_sessions_tenant_id_release_id_session_id_pk" PRIMARY KEY("tenant_id","release_id","session_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."release_sessions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."agent_definitions" ADD COLUMN "release_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "session_agents" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."agent_releases" ADD CONSTRAINT "agent_releases_of_agent" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "agents"."agent_definitions"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents"."release_changes" ADD CONSTRAINT "release_changes_of_release" FOREIGN KEY ("tenant_id","release_id") REFERENCES "agents"."agent_releases"("tenant_id","release_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_releases_one_running" ON "agents"."agent_releases" USING btree ("tenant_id","agent_id") WHERE state = 'running';--> statement-breakpoint
CREATE INDEX "agent_releases_by_agent" ON "agents"."agent_releases" USING btree ("tenant_id","agent_id","release_id");--> statement-breakpoint
CREATE INDEX "release_changes_of_release" ON "agents"."release_changes" USING btree ("tenant_id","release_id","change_id");--> statement-breakpoint
CREATE INDEX "release_sessions_by_time" ON "agents"."release_sessions" USING btree ("tenant_id","release_id","began_at","session_id");--> statement-breakpoint
CREATE INDEX "release_sessions_by_person" ON "agents"."release_sessions" USING btree ("tenant_id","release_id","person_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."agent_releases" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."release_changes" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."release_sessions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."agent_releases" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."release_changes" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."release_sessions" FORCE ROW LEVEL SECURITY;
