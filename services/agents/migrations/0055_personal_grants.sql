CREATE TABLE "agents"."server_links" (
	"tenant_id" uuid NOT NULL,
	"link_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"platform_user_id" text NOT NULL,
	"person_name" text NOT NULL,
	"bot_id" uuid NOT NULL,
	"token_hash" text,
	"code_hash" text,
	"wrong_codes" integer DEFAULT 0 NOT NULL,
	"grant_id" uuid,
	"issuer" text,
	"url" text,
	"sealed_grant" text,
	"grant_expires_at" timestamp (3) with time zone,
	"grant_renew_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "server_links_tenant_id_link_id_pk" PRIMARY KEY("tenant_id","link_id"),
	CONSTRAINT "server_links_by_person" UNIQUE("tenant_id","server_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."server_links" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."server_grants" DROP CONSTRAINT "server_grants_by_server";--> statement-breakpoint
ALTER TABLE "agents"."server_sign_ins" ALTER COLUMN "identity" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."tool_servers" ADD COLUMN "grant_of" text DEFAULT 'tenant' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."server_grants" ADD COLUMN "person_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."server_grants" ADD COLUMN "platform" text;--> statement-breakpoint
ALTER TABLE "agents"."server_grants" ADD COLUMN "platform_user_id" text;--> statement-breakpoint
ALTER TABLE "agents"."server_grants" ADD COLUMN "person_name" text;--> statement-breakpoint
ALTER TABLE "agents"."server_sign_ins" ADD COLUMN "link_id" uuid;--> statement-breakpoint
ALTER TABLE "agents"."server_links" ADD CONSTRAINT "server_links_of_server" FOREIGN KEY ("tenant_id","server_id") REFERENCES "agents"."tool_servers"("tenant_id","server_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "server_links_by_token" ON "agents"."server_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "server_links_by_age" ON "agents"."server_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "server_grants_of_person" ON "agents"."server_grants" USING btree ("tenant_id","person_id");--> statement-breakpoint
ALTER TABLE "agents"."server_grants" ADD CONSTRAINT "server_grants_by_person" UNIQUE NULLS NOT DISTINCT("tenant_id","server_id","person_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."server_links" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."server_links" FORCE ROW LEVEL SECURITY;
