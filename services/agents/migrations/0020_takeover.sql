CREATE TABLE "agents"."staff" (
	"tenant_id" uuid NOT NULL,
	"staff_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "staff_tenant_id_staff_id_pk" PRIMARY KEY("tenant_id","staff_id"),
	CONSTRAINT "staff_once" UNIQUE("tenant_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."staff" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."bots" ADD COLUMN "handback_after_minutes" integer DEFAULT 60 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "handling" text DEFAULT 'bot' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "handback_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "assignee_staff_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "handover_reason" text;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "muted_fence" bigint;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "staff_replies" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "staff_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "is_for_staff" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "conversations_of_people" ON "agents"."conversations" USING btree ("handback_at") WHERE handling = 'person';--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."staff" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."staff" FORCE ROW LEVEL SECURITY;
