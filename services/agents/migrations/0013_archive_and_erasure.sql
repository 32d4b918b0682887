CREATE TABLE "agents"."archive_chats" (
	"tenant_id" uuid NOT NULL,
	"file_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"messages" integer NOT NULL,
	"raw_bytes" integer NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"person_ids" uuid[] NOT NULL,
	CONSTRAINT "archive_chats_tenant_id_file_id_conversation_id_pk" PRIMARY KEY("tenant_id","file_id","conversation_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."archive_chats" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."archive_files" (
	"tenant_id" uuid NOT NULL,
	"file_id" uuid NOT NULL,
	"job_id" uuid NOT NULL,
	"state" text NOT NULL,
	"object_key" text NOT NULL,
	"next_key" text,
	"old_key" text,
	"sha256" text NOT NULL,
	"messages" integer NOT NULL,
	"raw_bytes" integer NOT NULL,
	"size_bytes" integer NOT NULL,
	"first_message_id" uuid NOT NULL,
	"last_message_id" uuid NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"trimmed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "archive_files_tenant_id_file_id_pk" PRIMARY KEY("tenant_id","file_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."archive_files" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."archive_jobs" (
	"tenant_id" uuid NOT NULL,
	"job_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"bot_id" uuid,
	"conversation_id" uuid,
	"before" timestamp (3) with time zone NOT NULL,
	"cursor" uuid,
	"messages_total" bigint,
	"messages_done" bigint DEFAULT 0 NOT NULL,
	"files_done" bigint DEFAULT 0 NOT NULL,
	"bytes_done" bigint DEFAULT 0 NOT NULL,
	"faults" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fence" bigint DEFAULT 0 NOT NULL,
	"ready_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"last_error" text,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "archive_jobs_tenant_id_job_id_pk" PRIMARY KEY("tenant_id","job_id"),
	CONSTRAINT "archive_jobs_job_id_unique" UNIQUE("job_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."archive_jobs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."archive_settings" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"is_enabled" boolean NOT NULL,
	"archive_after_days" integer NOT NULL,
	"trim_after_days" integer,
	"delete_after_days" integer,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents"."archive_settings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."erased_people" (
	"tenant_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"erased_before" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "erased_people_tenant_id_person_id_pk" PRIMARY KEY("tenant_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."erased_people" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "archived_in" uuid;--> statement-breakpoint
ALTER TABLE "agents"."archive_chats" ADD CONSTRAINT "archive_chats_of_file" FOREIGN KEY ("tenant_id","file_id") REFERENCES "agents"."archive_files"("tenant_id","file_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "archive_chats_by_chat" ON "agents"."archive_chats" USING btree ("tenant_id","conversation_id","file_id");--> statement-breakpoint
CREATE INDEX "archive_chats_by_bot" ON "agents"."archive_chats" USING btree ("tenant_id","bot_id","conversation_id");--> statement-breakpoint
CREATE INDEX "archive_files_by_time" ON "agents"."archive_files" USING btree ("tenant_id","last_message_id");--> statement-breakpoint
CREATE INDEX "archive_files_unfinished" ON "agents"."archive_files" USING btree ("created_at") WHERE state = 'writing' or next_key is not null or old_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "archive_jobs_one_of_a_kind" ON "agents"."archive_jobs" USING btree ("tenant_id","kind") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "archive_jobs_ready" ON "agents"."archive_jobs" USING btree ("ready_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "messages_archived" ON "agents"."messages" USING btree ("tenant_id","archived_in") WHERE archived_in is not null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."archive_chats" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."archive_files" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."archive_jobs" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."archive_settings" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."erased_people" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."archive_chats" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."archive_files" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."archive_jobs" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."archive_settings" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."erased_people" FORCE ROW LEVEL SECURITY;
