CREATE TABLE "agents"."publications" (
	"tenant_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"id" uuid NOT NULL,
	"publication_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"summary" jsonb NOT NULL,
	"content" jsonb NOT NULL,
	"search_text" text NOT NULL,
	"words" "tsvector" GENERATED ALWAYS AS (to_tsvector('simple', search_text)) STORED NOT NULL,
	"published_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"withdrawn_at" timestamp (3) with time zone,
	CONSTRAINT "publications_tenant_id_kind_id_pk" PRIMARY KEY("tenant_id","kind","id"),
	CONSTRAINT "publications_publication_id_unique" UNIQUE("publication_id"),
	CONSTRAINT "publications_by_definition" UNIQUE("kind","id")
);
--> statement-breakpoint
ALTER TABLE "agents"."publications" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "publications_by_time" ON "agents"."publications" USING btree ("publication_id") WHERE withdrawn_at is null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."publications" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."publications" FORCE ROW LEVEL SECURITY;
