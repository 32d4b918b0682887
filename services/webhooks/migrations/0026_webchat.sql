CREATE TABLE "webhooks"."webchat_messages" (
	"tenant_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"visitor_id" uuid NOT NULL,
	"position" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"author" text NOT NULL,
	"client_id" text,
	"part_id" uuid,
	"text" text NOT NULL,
	"file" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "webchat_messages_tenant_id_message_id_pk" PRIMARY KEY("tenant_id","message_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_messages" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."webchat_sessions" (
	"tenant_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"visitor_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webchat_sessions_tenant_id_token_hash_pk" PRIMARY KEY("tenant_id","token_hash")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_sessions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."webchat_visitors" (
	"tenant_id" uuid NOT NULL,
	"visitor_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"user_id" text,
	"name" text NOT NULL,
	"language" text,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"read_to" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webchat_visitors_tenant_id_visitor_id_pk" PRIMARY KEY("tenant_id","visitor_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_visitors" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "webchat_messages_by_client" ON "webhooks"."webchat_messages" USING btree ("tenant_id","visitor_id","client_id") WHERE client_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webchat_messages_by_part" ON "webhooks"."webchat_messages" USING btree ("tenant_id","part_id") WHERE part_id is not null;--> statement-breakpoint
CREATE INDEX "webchat_messages_in_order" ON "webhooks"."webchat_messages" USING btree ("tenant_id","visitor_id","seq");--> statement-breakpoint
CREATE INDEX "webchat_messages_by_age" ON "webhooks"."webchat_messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webchat_sessions_of_visitor" ON "webhooks"."webchat_sessions" USING btree ("tenant_id","visitor_id");--> statement-breakpoint
CREATE INDEX "webchat_sessions_by_age" ON "webhooks"."webchat_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "webchat_visitors_verified" ON "webhooks"."webchat_visitors" USING btree ("tenant_id","bot_id","user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "webchat_visitors_by_conversation" ON "webhooks"."webchat_visitors" USING btree ("tenant_id","conversation_id");--> statement-breakpoint
CREATE INDEX "webchat_visitors_begun" ON "webhooks"."webchat_visitors" USING btree ("tenant_id","integration_id","created_at");--> statement-breakpoint
CREATE INDEX "webchat_visitors_by_age" ON "webhooks"."webchat_visitors" USING btree ("last_seen_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."webchat_messages" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."webchat_sessions" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."webchat_visitors" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_messages" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_sessions" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."webchat_visitors" FORCE ROW LEVEL SECURITY;
