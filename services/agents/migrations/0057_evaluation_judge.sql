CREATE TABLE "agents"."evaluation_marks" (
	"tenant_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"case_id" uuid NOT NULL,
	"side" text NOT NULL,
	"mark" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "evaluation_marks_tenant_id_run_id_case_id_side_pk" PRIMARY KEY("tenant_id","run_id","case_id","side")
);
--> statement-breakpoint
ALTER TABLE "agents"."evaluation_marks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_results" ADD COLUMN "is_undecided" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_results" ADD COLUMN "judgement" text;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_results" ADD COLUMN "baseline_judgement" text;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_runs" ADD COLUMN "judge" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_sets" ADD COLUMN "judge" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."evaluation_marks" ADD CONSTRAINT "evaluation_marks_of_result" FOREIGN KEY ("tenant_id","run_id","case_id") REFERENCES "agents"."evaluation_results"("tenant_id","run_id","case_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."evaluation_marks" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."evaluation_marks" FORCE ROW LEVEL SECURITY;
