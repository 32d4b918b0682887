CREATE TABLE "webhooks"."callbacks" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"callback_query_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "callbacks_tenant_id_bot_id_callback_query_id_pk" PRIMARY KEY("tenant_id","bot_id","callback_query_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."callbacks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."chat_moves" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"from_chat_id" text NOT NULL,
	"to_chat_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_moves_tenant_id_bot_id_from_chat_id_pk" PRIMARY KEY("tenant_id","bot_id","from_chat_id"),
	CONSTRAINT "chat_moves_to" UNIQUE("tenant_id","bot_id","to_chat_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."chat_moves" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."chats" ADD COLUMN "member_changed_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."replies" ADD COLUMN "asked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks"."replies" ADD COLUMN "stops_earlier" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "callbacks_due" ON "webhooks"."callbacks" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "callbacks_by_age" ON "webhooks"."callbacks" USING btree ("created_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."callbacks" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."chat_moves" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."callbacks" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."chat_moves" FORCE ROW LEVEL SECURITY;
