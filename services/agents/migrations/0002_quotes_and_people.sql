CREATE TABLE "agents"."people" (
	"tenant_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"platform_user_id" text NOT NULL,
	"name" text NOT NULL,
	"username" text,
	"first_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "people_tenant_id_conversation_id_person_id_pk" PRIMARY KEY("tenant_id","conversation_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."people" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."quotes" (
	"tenant_id" uuid NOT NULL,
	"quote_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"kind" text NOT NULL,
	"text" text NOT NULL,
	"author" jsonb,
	"platform_message_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "quotes_tenant_id_quote_id_pk" PRIMARY KEY("tenant_id","quote_id"),
	CONSTRAINT "quotes_one_per_message" UNIQUE("tenant_id","conversation_id","seq")
);
--> statement-breakpoint
ALTER TABLE "agents"."quotes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "refusal" text;--> statement-breakpoint
CREATE INDEX "people_by_person" ON "agents"."people" USING btree ("tenant_id","person_id");--> statement-breakpoint
CREATE INDEX "quotes_by_person" ON "agents"."quotes" USING btree ("tenant_id","person_id","quote_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."people" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."quotes" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."people" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."quotes" FORCE ROW LEVEL SECURITY;
