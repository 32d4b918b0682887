CREATE TABLE "agents"."evaluation_results" (
	"tenant_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"case_id" uuid NOT NULL,
	"verdict" text,
	"passed" boolean NOT NULL,
	"baseline_passed" boolean,
	"candidate" jsonb NOT NULL,
	"baseline" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "evaluation_results_tenant_id_run_id_case_id_pk" PRIMARY KEY("tenant_id","run_id","case_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."evaluation_results" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."evaluation_runs" (
	"tenant_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"set_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"state" text NOT NULL,
	"documents" text NOT NULL,
	"may_use_platform_key" boolean NOT NULL,
	"candidate" jsonb NOT NULL,
	"candidate_version" integer NOT NULL,
	"baseline" jsonb,
	"baseline_version" integer,
	"last_case_id" uuid NOT NULL,
	"total" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"ready_at" timestamp (3) with time zone DEFAULT now(),
	"lease_until" timestamp (3) with time zone,
	"last_error" text,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "evaluation_runs_tenant_id_run_id_pk" PRIMARY KEY("tenant_id","run_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."evaluation_runs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_sets" ADD COLUMN "may_use_platform_key" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_results" ADD CONSTRAINT "evaluation_results_of_run" FOREIGN KEY ("tenant_id","run_id") REFERENCES "agents"."evaluation_runs"("tenant_id","run_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_results" ADD CONSTRAINT "evaluation_results_of_case" FOREIGN KEY ("tenant_id","case_id") REFERENCES "agents"."evaluation_cases"("tenant_id","case_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_runs" ADD CONSTRAINT "evaluation_runs_of_set" FOREIGN KEY ("tenant_id","set_id") REFERENCES "agents"."evaluation_sets"("tenant_id","set_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "evaluation_results_of_case" ON "agents"."evaluation_results" USING btree ("tenant_id","case_id");--> statement-breakpoint
CREATE UNIQUE INDEX "evaluation_runs_one_of_tenant" ON "agents"."evaluation_runs" USING btree ("tenant_id") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "evaluation_runs_ready" ON "agents"."evaluation_runs" USING btree ("tenant_id","ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "evaluation_runs_of_set" ON "agents"."evaluation_runs" USING btree ("tenant_id","set_id","run_id");--> statement-breakpoint
CREATE INDEX "evaluation_runs_by_agent" ON "agents"."evaluation_runs" USING btree ("tenant_id","agent_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."evaluation_results" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."evaluation_runs" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."evaluation_results" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_runs" FORCE ROW LEVEL SECURITY;
