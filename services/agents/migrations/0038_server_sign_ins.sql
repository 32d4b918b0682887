CREATE TABLE "agents"."server_grants" (
	"tenant_id" uuid NOT NULL,
	"grant_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"sealed_grant" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"renew_at" timestamp (3) with time zone,
	"renewing_until" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "server_grants_tenant_id_grant_id_pk" PRIMARY KEY("tenant_id","grant_id"),
	CONSTRAINT "server_grants_by_server" UNIQUE("tenant_id","server_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."server_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."server_sign_ins" (
	"tenant_id" uuid NOT NULL,
	"state_hash" text NOT NULL,
	"browser_hash" text NOT NULL,
	"server_id" uuid NOT NULL,
	"identity" jsonb NOT NULL,
	"sealed_sign_in" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "server_sign_ins_tenant_id_state_hash_pk" PRIMARY KEY("tenant_id","state_hash")
);
--> statement-breakpoint
ALTER TABLE "agents"."server_sign_ins" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."tool_servers" ADD COLUMN "uses_oauth" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents"."tool_servers" ADD COLUMN "client_id" text;--> statement-breakpoint
ALTER TABLE "agents"."tool_servers" ADD COLUMN "sealed_client_secret" text;--> statement-breakpoint
ALTER TABLE "agents"."tool_servers" ADD COLUMN "issuer" text;--> statement-breakpoint
ALTER TABLE "agents"."server_grants" ADD CONSTRAINT "server_grants_of_server" FOREIGN KEY ("tenant_id","server_id") REFERENCES "agents"."tool_servers"("tenant_id","server_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents"."server_sign_ins" ADD CONSTRAINT "server_sign_ins_of_server" FOREIGN KEY ("tenant_id","server_id") REFERENCES "agents"."tool_servers"("tenant_id","server_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "server_grants_by_id" ON "agents"."server_grants" USING btree ("grant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "server_sign_ins_by_state" ON "agents"."server_sign_ins" USING btree ("state_hash");--> statement-breakpoint
CREATE INDEX "server_sign_ins_by_age" ON "agents"."server_sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."server_grants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."server_sign_ins" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."server_grants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."server_sign_ins" FORCE ROW LEVEL SECURITY;
