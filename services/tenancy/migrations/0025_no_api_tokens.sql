-- unused since 0.1.0
DROP POLICY "tenant_scope" ON "tenancy"."api_tokens" CASCADE;--> statement-breakpoint
-- unused since 0.1.0
DROP TABLE "tenancy"."api_tokens" CASCADE;
