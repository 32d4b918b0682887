CREATE SCHEMA IF NOT EXISTS "keys";
--> statement-breakpoint
CREATE TABLE "keys"."consumer_failures" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"failed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "keys"."dead_letters" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"dead_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "keys"."dead_letters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "keys"."inbox" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"consumed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "keys"."keys" (
	"tenant_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"key_type" text NOT NULL,
	"scope_type" text NOT NULL,
	"scope_id" uuid,
	"host" text NOT NULL,
	"masked_key" text NOT NULL,
	"sealed_key" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "keys_tenant_id_key_id_pk" PRIMARY KEY("tenant_id","key_id"),
	CONSTRAINT "keys_key_id_unique" UNIQUE("key_id")
);
--> statement-breakpoint
ALTER TABLE "keys"."keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "keys"."outbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"traceparent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "keys"."outbox" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "keys"."streams" (
	"name" text PRIMARY KEY NOT NULL,
	"created_at" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "keys_by_scope" ON "keys"."keys" USING btree ("tenant_id","provider","scope_type","scope_id","key_id");--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "keys"."outbox" USING btree ("id") WHERE published_at is null;--> statement-breakpoint
CREATE POLICY "platform_scope" ON "keys"."dead_letters" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "keys"."keys" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "anyone_writes" ON "keys"."outbox" AS PERMISSIVE FOR INSERT TO public WITH CHECK (true);--> statement-breakpoint
CREATE POLICY "platform_scope" ON "keys"."outbox" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "keys"."dead_letters" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "keys"."keys" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "keys"."outbox" FORCE ROW LEVEL SECURITY;
