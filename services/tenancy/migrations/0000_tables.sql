CREATE SCHEMA IF NOT EXISTS "tenancy";
--> statement-breakpoint
CREATE TABLE "tenancy"."bots" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"name" text NOT NULL,
	"agent_ids" uuid[] NOT NULL,
	"is_enabled" boolean NOT NULL,
	"join_window_ms" integer NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bots_tenant_id_bot_id_pk" PRIMARY KEY("tenant_id","bot_id"),
	CONSTRAINT "bots_bot_id_unique" UNIQUE("bot_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."bots" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."consumer_failures" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"failed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenancy"."dead_letters" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"dead_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenancy"."dead_letters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."inbox" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"consumed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenancy"."integrations" (
	"tenant_id" uuid NOT NULL,
	"integration_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"integration_type" text NOT NULL,
	"is_enabled" boolean NOT NULL,
	"masked_credentials" jsonb NOT NULL,
	"masked_settings" jsonb NOT NULL,
	"sealed_secrets" text NOT NULL,
	"token_hash" text NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"registration_state" text DEFAULT 'pending' NOT NULL,
	"registration_error" text,
	"pending_updates" integer,
	"registration_checked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integrations_tenant_id_integration_id_pk" PRIMARY KEY("tenant_id","integration_id"),
	CONSTRAINT "integrations_integration_id_unique" UNIQUE("integration_id"),
	CONSTRAINT "integrations_one_of_a_type" UNIQUE("bot_id","integration_type")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."integrations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."lookup_keys" (
	"purpose" text PRIMARY KEY NOT NULL,
	"sealed_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenancy"."lookup_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."memberships" (
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."outbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"traceparent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "tenancy"."outbox" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."session_tenants" (
	"session_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"tenant_id" uuid NOT NULL,
	"selected_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "session_tenants_session_id_user_id_pk" PRIMARY KEY("session_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."session_tenants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."streams" (
	"name" text PRIMARY KEY NOT NULL,
	"created_at" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenancy"."tenants" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"idp_org_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tenants_idp_org_id_unique" UNIQUE("idp_org_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."tenants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."users" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"idp_user_id" text NOT NULL,
	"email" text,
	"name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "users_idp_user_id_unique" UNIQUE("idp_user_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."users" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."bots" ADD CONSTRAINT "bots_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."integrations" ADD CONSTRAINT "integrations_bot_id_bots_bot_id_fk" FOREIGN KEY ("bot_id") REFERENCES "tenancy"."bots"("bot_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ADD CONSTRAINT "memberships_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ADD CONSTRAINT "memberships_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "tenancy"."users"("user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."session_tenants" ADD CONSTRAINT "session_tenants_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "tenancy"."users"("user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."session_tenants" ADD CONSTRAINT "session_tenants_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "integrations_one_per_token" ON "tenancy"."integrations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "memberships_by_user" ON "tenancy"."memberships" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "tenancy"."outbox" USING btree ("id") WHERE published_at is null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."bots" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."dead_letters" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."integrations" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."lookup_keys" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."memberships" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "anyone_writes" ON "tenancy"."outbox" AS PERMISSIVE FOR INSERT TO public WITH CHECK (true);--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."outbox" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."session_tenants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."tenants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."users" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."bots" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."dead_letters" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."integrations" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."lookup_keys" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."outbox" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."session_tenants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."tenants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."users" FORCE ROW LEVEL SECURITY;
