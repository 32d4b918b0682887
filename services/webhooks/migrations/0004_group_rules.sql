CREATE TABLE "webhooks"."group_rules" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform_chat_id" text NOT NULL,
	"answers_when" text NOT NULL,
	"topics" text[],
	"revision" integer NOT NULL,
	CONSTRAINT "group_rules_tenant_id_bot_id_platform_chat_id_pk" PRIMARY KEY("tenant_id","bot_id","platform_chat_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."group_rules" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."group_rules" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."group_rules" FORCE ROW LEVEL SECURITY;
