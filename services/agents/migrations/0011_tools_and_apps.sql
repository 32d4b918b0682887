CREATE TABLE "agents"."app_bindings" (
	"tenant_id" uuid NOT NULL,
	"binding_id" uuid NOT NULL,
	"app_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform" text,
	"kind" text,
	"chat_id" uuid,
	"group_id" uuid,
	"thread_id" text,
	"priority" integer NOT NULL,
	"fingerprint" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "app_bindings_tenant_id_binding_id_pk" PRIMARY KEY("tenant_id","binding_id"),
	CONSTRAINT "app_bindings_once" UNIQUE("tenant_id","bot_id","app_id","fingerprint")
);
--> statement-breakpoint
ALTER TABLE "agents"."app_bindings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."app_records" (
	"tenant_id" uuid NOT NULL,
	"record_id" uuid NOT NULL,
	"app_id" uuid NOT NULL,
	"type" text NOT NULL,
	"fields" jsonb NOT NULL,
	"search_text" text NOT NULL,
	"source" text NOT NULL,
	"bot_id" uuid,
	"agent_id" uuid,
	"chat_id" uuid,
	"person_id" uuid,
	"message_id" uuid,
	"origin_key" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "app_records_tenant_id_record_id_pk" PRIMARY KEY("tenant_id","record_id"),
	CONSTRAINT "app_records_once" UNIQUE("tenant_id","app_id","origin_key")
);
--> statement-breakpoint
ALTER TABLE "agents"."app_records" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."app_versions" (
	"tenant_id" uuid NOT NULL,
	"app_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"spec" jsonb NOT NULL,
	"agent_ids" uuid[] NOT NULL,
	"capability_ids" uuid[] NOT NULL,
	"origin" text NOT NULL,
	"rolled_back_to" integer,
	"published_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "app_versions_tenant_id_app_id_version_pk" PRIMARY KEY("tenant_id","app_id","version")
);
--> statement-breakpoint
ALTER TABLE "agents"."app_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."apps" (
	"tenant_id" uuid NOT NULL,
	"app_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"template_id" text,
	"draft" text NOT NULL,
	"draft_revision" integer DEFAULT 1 NOT NULL,
	"draft_updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"current_version" integer,
	"last_version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "apps_tenant_id_app_id_pk" PRIMARY KEY("tenant_id","app_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."apps" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."platform_toolkits" (
	"is_the_one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"toolkits" text[],
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents"."platform_toolkits" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_connections" (
	"tenant_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"toolkit" text NOT NULL,
	"status" text NOT NULL,
	"provider_user_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"state_hash" text NOT NULL,
	"state_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_connections_tenant_id_connection_id_pk" PRIMARY KEY("tenant_id","connection_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_connections" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_executions" (
	"tenant_id" uuid NOT NULL,
	"execution_id" uuid NOT NULL,
	"call_key" text NOT NULL,
	"ticket_id" uuid,
	"conversation_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"tool_id" uuid NOT NULL,
	"tool_name" text NOT NULL,
	"toolkit" text NOT NULL,
	"tool" text NOT NULL,
	"connection_id" uuid,
	"arguments_hash" text NOT NULL,
	"requesters" jsonb NOT NULL,
	"arguments" text NOT NULL,
	"decision" text NOT NULL,
	"outcome" text NOT NULL,
	"detail" text,
	"result" text,
	"log_id" text,
	"decided_by" uuid,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "tool_executions_tenant_id_execution_id_pk" PRIMARY KEY("tenant_id","execution_id"),
	CONSTRAINT "tool_executions_once" UNIQUE("tenant_id","call_key")
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_executions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_groups" (
	"tenant_id" uuid NOT NULL,
	"access_group_id" uuid NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"members" text[] NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_groups_tenant_id_access_group_id_pk" PRIMARY KEY("tenant_id","access_group_id"),
	CONSTRAINT "tool_groups_by_name" UNIQUE("tenant_id","name")
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_groups" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_rules" (
	"tenant_id" uuid NOT NULL,
	"rule_id" uuid NOT NULL,
	"effect" text NOT NULL,
	"user_id" uuid,
	"user_group_id" uuid,
	"bot_id" uuid,
	"agent_id" uuid,
	"toolkit" text,
	"tool" text,
	"tool_group_id" uuid,
	"note" text NOT NULL,
	"created_by" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_rules_tenant_id_rule_id_pk" PRIMARY KEY("tenant_id","rule_id"),
	CONSTRAINT "tool_rules_once" UNIQUE NULLS NOT DISTINCT("tenant_id","user_id","user_group_id","bot_id","agent_id","toolkit","tool","tool_group_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_rules" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_settings" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"toolkits" text[],
	"tools_updated_at" timestamp (3) with time zone,
	"private_llm_address" text,
	"private_llm_model" text,
	"private_llm_updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_settings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_tickets" (
	"tenant_id" uuid NOT NULL,
	"ticket_id" uuid NOT NULL,
	"status" text NOT NULL,
	"conversation_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"tool_id" uuid NOT NULL,
	"tool_name" text NOT NULL,
	"toolkit" text NOT NULL,
	"tool" text NOT NULL,
	"connection_id" uuid,
	"arguments_hash" text NOT NULL,
	"requesters" jsonb NOT NULL,
	"arguments" text NOT NULL,
	"requester_ids" uuid[] NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"called_at" timestamp (3) with time zone,
	"is_repeatable" boolean DEFAULT false NOT NULL,
	"decided_by" uuid,
	"decided_at" timestamp (3) with time zone,
	"note" text,
	"detail" text,
	"result" text,
	"notice_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_tickets_tenant_id_ticket_id_pk" PRIMARY KEY("tenant_id","ticket_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_tickets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "app_bindings_by_app" ON "agents"."app_bindings" USING btree ("tenant_id","app_id","binding_id");--> statement-breakpoint
CREATE INDEX "app_records_by_type" ON "agents"."app_records" USING btree ("tenant_id","app_id","type","record_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tool_connections_by_state" ON "agents"."tool_connections" USING btree ("tenant_id","state_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "tool_connections_by_account" ON "agents"."tool_connections" USING btree ("provider_account_id");--> statement-breakpoint
CREATE INDEX "tool_executions_open" ON "agents"."tool_executions" USING btree ("started_at") WHERE outcome = 'executing';--> statement-breakpoint
CREATE UNIQUE INDEX "tool_tickets_once" ON "agents"."tool_tickets" USING btree ("tenant_id","conversation_id","tool_id","arguments_hash") WHERE status in ('pending', 'approved', 'executing');--> statement-breakpoint
CREATE INDEX "tool_tickets_due" ON "agents"."tool_tickets" USING btree ("next_at") WHERE status in ('pending', 'approved', 'executing');--> statement-breakpoint
CREATE INDEX "tool_tickets_by_notice" ON "agents"."tool_tickets" USING btree ("tenant_id","notice_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."app_bindings" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."app_records" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."app_versions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."apps" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "anyone_reads" ON "agents"."platform_toolkits" AS PERMISSIVE FOR SELECT TO public USING (true);--> statement-breakpoint
CREATE POLICY "platform_scope" ON "agents"."platform_toolkits" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_connections" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_executions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_groups" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_rules" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_settings" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_tickets" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."app_bindings" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."app_records" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."app_versions" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."apps" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."platform_toolkits" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_connections" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_executions" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_groups" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_rules" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_settings" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_tickets" FORCE ROW LEVEL SECURITY;
