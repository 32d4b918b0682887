CREATE TABLE "agents"."chat_states" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform_chat_id" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"changed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chat_states_tenant_id_bot_id_platform_chat_id_pk" PRIMARY KEY("tenant_id","bot_id","platform_chat_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."chat_states" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."early_edits" (
	"tenant_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"platform_chat_id" text NOT NULL,
	"platform_message_id" text NOT NULL,
	"text" text NOT NULL,
	"content" text NOT NULL,
	"command" jsonb,
	"attachment" jsonb,
	"edited_at" timestamp (3) with time zone NOT NULL,
	"edit_number" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "early_edits_pk" PRIMARY KEY("tenant_id","conversation_id","platform_chat_id","platform_message_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."early_edits" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "stopped_seq" bigint;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "platform_chat_id" text;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "platform_message_id" text;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "album_id" text;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "attachment" jsonb;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "edited_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "edit_number" bigint;--> statement-breakpoint
CREATE INDEX "early_edits_by_age" ON "agents"."early_edits" USING btree ("created_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."chat_states" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."early_edits" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."chat_states" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."early_edits" FORCE ROW LEVEL SECURITY;
