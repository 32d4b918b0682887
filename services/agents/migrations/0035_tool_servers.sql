CREATE TABLE "agents"."server_tools" (
	"tenant_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"name" text NOT NULL,
	"is_listed" boolean DEFAULT true NOT NULL,
	"definition" text NOT NULL,
	"pin" text NOT NULL,
	"refusal" text,
	"decided_definition" text,
	"decided_pin" text,
	"is_allowed" boolean DEFAULT false NOT NULL,
	"reads_only" boolean DEFAULT false NOT NULL,
	"repeatable" boolean DEFAULT false NOT NULL,
	"decided_by" uuid,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "server_tools_tenant_id_server_id_name_pk" PRIMARY KEY("tenant_id","server_id","name")
);
--> statement-breakpoint
ALTER TABLE "agents"."server_tools" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."tool_servers" (
	"tenant_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"origin" text NOT NULL,
	"header_name" text,
	"sealed_value" text,
	"timeout_ms" integer NOT NULL,
	"state" text DEFAULT 'unchecked' NOT NULL,
	"last_error" text,
	"checked_at" timestamp (3) with time zone,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_servers_tenant_id_server_id_pk" PRIMARY KEY("tenant_id","server_id"),
	CONSTRAINT "tool_servers_by_name" UNIQUE("tenant_id","name")
);
--> statement-breakpoint
ALTER TABLE "agents"."tool_servers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."server_tools" ADD CONSTRAINT "server_tools_of_server" FOREIGN KEY ("tenant_id","server_id") REFERENCES "agents"."tool_servers"("tenant_id","server_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."server_tools" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."tool_servers" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."server_tools" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_servers" FORCE ROW LEVEL SECURITY;
