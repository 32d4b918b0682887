CREATE TABLE "tenancy"."api_tokens" (
	"tenant_id" uuid NOT NULL,
	"token_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"masked_token" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "api_tokens_tenant_id_token_id_pk" PRIMARY KEY("tenant_id","token_id"),
	CONSTRAINT "api_tokens_by_hash" UNIQUE("token_hash"),
	CONSTRAINT "api_tokens_none_of_platform" CHECK (tenant_id <> '00000000-0000-7000-8000-000000000000')
);
--> statement-breakpoint
ALTER TABLE "tenancy"."api_tokens" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."api_tokens" ADD CONSTRAINT "api_tokens_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_tokens_by_creator" ON "tenancy"."api_tokens" USING btree ("created_by");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."api_tokens" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."api_tokens" FORCE ROW LEVEL SECURITY;
