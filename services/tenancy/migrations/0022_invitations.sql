CREATE TABLE "tenancy"."invitations" (
	"tenant_id" uuid NOT NULL,
	"invitation_id" uuid NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"language" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"invited_by" uuid,
	"accepted_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"mail" text DEFAULT 'queued' NOT NULL,
	"mail_id" uuid NOT NULL,
	"mail_asked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"mail_due_at" timestamp (3) with time zone,
	"mail_tries" integer DEFAULT 0 NOT NULL,
	"mail_sends" integer DEFAULT 0 NOT NULL,
	"mail_problem" text,
	"mailed_at" timestamp (3) with time zone,
	CONSTRAINT "invitations_tenant_id_invitation_id_pk" PRIMARY KEY("tenant_id","invitation_id"),
	CONSTRAINT "invitations_by_id" UNIQUE("invitation_id"),
	CONSTRAINT "invitations_none_to_platform" CHECK (tenant_id <> '00000000-0000-7000-8000-000000000000')
);
--> statement-breakpoint
ALTER TABLE "tenancy"."invitations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."invitations" ADD CONSTRAINT "invitations_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_one_pending" ON "tenancy"."invitations" USING btree ("tenant_id","email") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "invitations_by_email" ON "tenancy"."invitations" USING btree ("email");--> statement-breakpoint
CREATE INDEX "invitations_by_due" ON "tenancy"."invitations" USING btree ("mail_due_at") WHERE mail_due_at is not null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."invitations" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."invitations" FORCE ROW LEVEL SECURITY;
