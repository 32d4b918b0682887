CREATE TABLE "agents"."rating_questions" (
	"tenant_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"reply_id" uuid NOT NULL,
	"asked_at" timestamp (3) with time zone,
	"ready_at" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "rating_questions_tenant_id_person_id_pk" PRIMARY KEY("tenant_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."rating_questions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."bots" ADD COLUMN "asks_for_rating" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "rating_question_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "rated_reply_id" uuid;--> statement-breakpoint
CREATE INDEX "rating_questions_ready" ON "agents"."rating_questions" USING btree ("tenant_id","ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "rating_questions_due" ON "agents"."rating_questions" USING btree ("ready_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."rating_questions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."rating_questions" FORCE ROW LEVEL SECURITY;
