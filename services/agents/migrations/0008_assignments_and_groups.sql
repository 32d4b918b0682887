CREATE TABLE "agents"."bot_assignments" (
	"tenant_id" uuid NOT NULL,
	"assignment_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"chat_id" uuid,
	"group_id" uuid,
	"kind" text,
	"thread_id" text,
	"keywords" text[] NOT NULL,
	"language" text,
	"priority" integer NOT NULL,
	"fingerprint" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bot_assignments_tenant_id_assignment_id_pk" PRIMARY KEY("tenant_id","assignment_id"),
	CONSTRAINT "bot_assignments_once" UNIQUE("tenant_id","bot_id","fingerprint")
);
--> statement-breakpoint
ALTER TABLE "agents"."bot_assignments" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."bot_groups" (
	"tenant_id" uuid NOT NULL,
	"group_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"platform_chat_id" text NOT NULL,
	"kind" text NOT NULL,
	"title" text NOT NULL,
	"name" text,
	"answers_when" text DEFAULT 'addressed' NOT NULL,
	"topics" text[],
	"known_topics" text[] DEFAULT '{}' NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"last_message_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"overheard_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bot_groups_tenant_id_group_id_pk" PRIMARY KEY("tenant_id","group_id"),
	CONSTRAINT "bot_groups_once" UNIQUE("tenant_id","bot_id","platform_chat_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."bot_groups" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "is_addressed" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "turns_by_agent" ON "agents"."turns" USING btree ("tenant_id","agent_id","turn_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."bot_assignments" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."bot_groups" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."bot_assignments" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."bot_groups" FORCE ROW LEVEL SECURITY;
