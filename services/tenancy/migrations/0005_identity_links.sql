CREATE TABLE "tenancy"."identity_links" (
	"link_id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"platform" text NOT NULL,
	"platform_user_id" text NOT NULL,
	"name" text,
	"username" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identity_links_one_owner" UNIQUE("platform","platform_user_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."identity_links" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."messenger_logins" (
	"login_id" uuid PRIMARY KEY NOT NULL,
	"platform_user_id" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"busy_until" timestamp (3) with time zone,
	"verified_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenancy"."messenger_logins" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."messenger_proofs" (
	"hash" text PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenancy"."messenger_proofs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."identity_links" ADD CONSTRAINT "identity_links_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "tenancy"."users"("user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "identity_links_by_user" ON "tenancy"."identity_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "messenger_logins_by_account" ON "tenancy"."messenger_logins" USING btree ("platform_user_id");--> statement-breakpoint
CREATE INDEX "messenger_logins_by_age" ON "tenancy"."messenger_logins" USING btree ("verified_at");--> statement-breakpoint
CREATE INDEX "messenger_proofs_by_age" ON "tenancy"."messenger_proofs" USING btree ("used_at");--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."identity_links" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."messenger_logins" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."messenger_proofs" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."identity_links" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."messenger_logins" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."messenger_proofs" FORCE ROW LEVEL SECURITY;
