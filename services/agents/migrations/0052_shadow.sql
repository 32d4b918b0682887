CREATE TABLE "agents"."shadow_answers" (
	"tenant_id" uuid NOT NULL,
	"release_id" uuid NOT NULL,
	"turn_id" uuid NOT NULL,
	"verdict" text,
	"differences" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"text" text,
	"calls" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"ready_at" timestamp (3) with time zone DEFAULT now(),
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shadow_answers_tenant_id_release_id_turn_id_pk" PRIMARY KEY("tenant_id","release_id","turn_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."shadow_answers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."agent_releases" ADD COLUMN "shadow" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."agent_releases" ADD COLUMN "shadowed_until" uuid;--> statement-breakpoint
ALTER TABLE "agents"."shadow_answers" ADD CONSTRAINT "shadow_answers_of_turn" FOREIGN KEY ("tenant_id","turn_id") REFERENCES "agents"."turns"("tenant_id","turn_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents"."shadow_answers" ADD CONSTRAINT "shadow_answers_of_release" FOREIGN KEY ("tenant_id","release_id") REFERENCES "agents"."agent_releases"("tenant_id","release_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shadow_answers_ready" ON "agents"."shadow_answers" USING btree ("tenant_id","ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "shadow_answers_by_turn" ON "agents"."shadow_answers" USING btree ("tenant_id","turn_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."shadow_answers" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."shadow_answers" FORCE ROW LEVEL SECURITY;
