CREATE TABLE "agents"."canned_replies" (
	"tenant_id" uuid NOT NULL,
	"canned_reply_id" uuid NOT NULL,
	"name" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "canned_replies_tenant_id_canned_reply_id_pk" PRIMARY KEY("tenant_id","canned_reply_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."canned_replies" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."chat_notes" (
	"tenant_id" uuid NOT NULL,
	"note_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"text" text NOT NULL,
	"staff_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_notes_tenant_id_note_id_pk" PRIMARY KEY("tenant_id","note_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."chat_notes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."chat_reads" (
	"tenant_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"staff_id" uuid NOT NULL,
	"read_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chat_reads_tenant_id_conversation_id_staff_id_pk" PRIMARY KEY("tenant_id","conversation_id","staff_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."chat_reads" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."labels" (
	"tenant_id" uuid NOT NULL,
	"label_id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "labels_tenant_id_label_id_pk" PRIMARY KEY("tenant_id","label_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."labels" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "state" text DEFAULT 'open' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "snoozed_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."conversations" ADD COLUMN "label_ids" uuid[];--> statement-breakpoint
CREATE UNIQUE INDEX "canned_replies_once" ON "agents"."canned_replies" USING btree ("tenant_id",lower(name));--> statement-breakpoint
CREATE INDEX "chat_notes_of_chat" ON "agents"."chat_notes" USING btree ("tenant_id","conversation_id","note_id");--> statement-breakpoint
CREATE UNIQUE INDEX "labels_once" ON "agents"."labels" USING btree ("tenant_id",lower(name));--> statement-breakpoint
CREATE INDEX "conversations_in_queues" ON "agents"."conversations" USING btree ("tenant_id") WHERE handling = 'person' or state in ('waiting', 'snoozed');--> statement-breakpoint
CREATE INDEX "conversations_snoozed" ON "agents"."conversations" USING btree ("snoozed_until") WHERE state = 'snoozed';--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."canned_replies" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."chat_notes" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."chat_reads" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."labels" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."canned_replies" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."chat_notes" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."chat_reads" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."labels" FORCE ROW LEVEL SECURITY;
