-- A UUIDv7 of now: statements that write many rows, and rows that were there before, get identifiers that are ordered by time.
CREATE FUNCTION "tenancy"."new_id" () RETURNS uuid LANGUAGE sql VOLATILE AS $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid
$$;--> statement-breakpoint
CREATE TABLE "tenancy"."channel_grants" (
	"tenant_id" uuid NOT NULL,
	"grant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"platform_chat_id" text NOT NULL,
	"title" text,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "channel_grants_tenant_id_grant_id_pk" PRIMARY KEY("tenant_id","grant_id"),
	CONSTRAINT "channel_grants_once" UNIQUE("tenant_id","bot_id","platform","platform_chat_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."channel_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."chat_rules" (
	"tenant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"channels" text NOT NULL,
	"private_chats" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_rules_tenant_id_bot_id_pk" PRIMARY KEY("tenant_id","bot_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."chat_rules" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."edges" (
	"tenant_id" uuid NOT NULL,
	"edge_id" uuid DEFAULT tenancy.new_id() NOT NULL,
	"subject_type" text NOT NULL,
	"subject_id" text NOT NULL,
	"subject_relation" text DEFAULT '' NOT NULL,
	"relation" text NOT NULL,
	"object_type" text NOT NULL,
	"object_id" text NOT NULL,
	"bot_id" uuid,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "edges_tenant_id_edge_id_pk" PRIMARY KEY("tenant_id","edge_id"),
	CONSTRAINT "edges_once" UNIQUE("tenant_id","subject_type","subject_id","subject_relation","relation","object_type","object_id"),
	CONSTRAINT "edges_no_memberships" CHECK (not (subject_type = 'user' and object_type = 'tenant')),
	CONSTRAINT "edges_of_bots" CHECK ((object_type = 'bot') = (bot_id is not null))
);
--> statement-breakpoint
ALTER TABLE "tenancy"."edges" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."mutes" (
	"tenant_id" uuid NOT NULL,
	"mute_id" uuid NOT NULL,
	"bot_id" uuid,
	"platform" text NOT NULL,
	"platform_user_id" text NOT NULL,
	"reason" text,
	"until" timestamp (3) with time zone,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mutes_tenant_id_mute_id_pk" PRIMARY KEY("tenant_id","mute_id"),
	CONSTRAINT "mutes_once" UNIQUE NULLS NOT DISTINCT("tenant_id","platform","platform_user_id","bot_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."mutes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."policies" (
	"tenant_id" uuid NOT NULL,
	"policy_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"text" text NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"origin" text DEFAULT 'api' NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policies_tenant_id_policy_id_pk" PRIMARY KEY("tenant_id","policy_id"),
	CONSTRAINT "policies_one_of_a_name" UNIQUE("tenant_id","name")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."policies" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."policy_migration_rows" (
	"migration_id" uuid NOT NULL,
	"tenant_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"row_id" uuid NOT NULL,
	"before" jsonb,
	"after" jsonb NOT NULL,
	"restored_at" timestamp (3) with time zone,
	CONSTRAINT "policy_migration_rows_migration_id_tenant_id_kind_row_id_pk" PRIMARY KEY("migration_id","tenant_id","kind","row_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migration_rows" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."policy_migrations" (
	"migration_id" uuid PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"started_by" uuid,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"rolled_back_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migrations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."private_chat_grants" (
	"tenant_id" uuid NOT NULL,
	"grant_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"platform_user_id" text NOT NULL,
	"name" text,
	"until" timestamp (3) with time zone,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "private_chat_grants_tenant_id_grant_id_pk" PRIMARY KEY("tenant_id","grant_id"),
	CONSTRAINT "private_chat_grants_once" UNIQUE("tenant_id","bot_id","platform","platform_user_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."private_chat_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ADD COLUMN "edge_id" uuid DEFAULT tenancy.new_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "tenancy"."channel_grants" ADD CONSTRAINT "channel_grants_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."channel_grants" ADD CONSTRAINT "channel_grants_of_bot" FOREIGN KEY ("tenant_id","bot_id") REFERENCES "tenancy"."bots"("tenant_id","bot_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."chat_rules" ADD CONSTRAINT "chat_rules_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."chat_rules" ADD CONSTRAINT "chat_rules_of_bot" FOREIGN KEY ("tenant_id","bot_id") REFERENCES "tenancy"."bots"("tenant_id","bot_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."edges" ADD CONSTRAINT "edges_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."edges" ADD CONSTRAINT "edges_of_bot" FOREIGN KEY ("tenant_id","bot_id") REFERENCES "tenancy"."bots"("tenant_id","bot_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."mutes" ADD CONSTRAINT "mutes_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."mutes" ADD CONSTRAINT "mutes_of_bot" FOREIGN KEY ("tenant_id","bot_id") REFERENCES "tenancy"."bots"("tenant_id","bot_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."policies" ADD CONSTRAINT "policies_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migration_rows" ADD CONSTRAINT "policy_migration_rows_migration_id_policy_migrations_migration_id_fk" FOREIGN KEY ("migration_id") REFERENCES "tenancy"."policy_migrations"("migration_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migration_rows" ADD CONSTRAINT "policy_migration_rows_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."private_chat_grants" ADD CONSTRAINT "private_chat_grants_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."private_chat_grants" ADD CONSTRAINT "private_chat_grants_of_bot" FOREIGN KEY ("tenant_id","bot_id") REFERENCES "tenancy"."bots"("tenant_id","bot_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "edges_by_subject" ON "tenancy"."edges" USING btree ("subject_type","subject_id","tenant_id");--> statement-breakpoint
CREATE INDEX "edges_by_object" ON "tenancy"."edges" USING btree ("tenant_id","object_type","object_id");--> statement-breakpoint
CREATE INDEX "edges_by_bot" ON "tenancy"."edges" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "mutes_by_bot" ON "tenancy"."mutes" USING btree ("bot_id");--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ADD CONSTRAINT "memberships_edge_id_unique" UNIQUE("edge_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."channel_grants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."chat_rules" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."edges" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."mutes" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."policies" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."policy_migration_rows" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."policy_migrations" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."private_chat_grants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."channel_grants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."chat_rules" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."edges" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."mutes" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."policies" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migration_rows" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."policy_migrations" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."private_chat_grants" FORCE ROW LEVEL SECURITY;
