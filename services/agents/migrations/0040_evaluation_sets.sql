CREATE TABLE "agents"."evaluation_cases" (
	"tenant_id" uuid NOT NULL,
	"case_id" uuid NOT NULL,
	"set_id" uuid NOT NULL,
	"name" text NOT NULL,
	"messages" jsonb NOT NULL,
	"recording" jsonb NOT NULL,
	"assertions" jsonb NOT NULL,
	"source_message_ids" uuid[] DEFAULT '{}' NOT NULL,
	"conversation_ids" uuid[] DEFAULT '{}' NOT NULL,
	"person_ids" uuid[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "evaluation_cases_tenant_id_case_id_pk" PRIMARY KEY("tenant_id","case_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."evaluation_cases" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."evaluation_sets" (
	"tenant_id" uuid NOT NULL,
	"set_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"name" text NOT NULL,
	"documents" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "evaluation_sets_tenant_id_set_id_pk" PRIMARY KEY("tenant_id","set_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."evaluation_sets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_cases" ADD CONSTRAINT "evaluation_cases_of_set" FOREIGN KEY ("tenant_id","set_id") REFERENCES "agents"."evaluation_sets"("tenant_id","set_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_sets" ADD CONSTRAINT "evaluation_sets_of_agent" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "agents"."agent_definitions"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "evaluation_cases_of_set" ON "agents"."evaluation_cases" USING btree ("tenant_id","set_id","case_id");--> statement-breakpoint
CREATE INDEX "evaluation_sets_by_agent" ON "agents"."evaluation_sets" USING btree ("tenant_id","agent_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."evaluation_cases" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."evaluation_sets" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."evaluation_cases" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_sets" FORCE ROW LEVEL SECURITY;
