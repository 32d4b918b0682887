CREATE TABLE "agents"."recording_keys" (
	"tenant_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"sealed_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "recording_keys_tenant_id_key_id_pk" PRIMARY KEY("tenant_id","key_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."recording_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents"."turn_recordings" (
	"tenant_id" uuid NOT NULL,
	"turn_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"sealed_recording" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "turn_recordings_tenant_id_turn_id_pk" PRIMARY KEY("tenant_id","turn_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."turn_recordings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."turn_recordings" ADD CONSTRAINT "turn_recordings_of_turn" FOREIGN KEY ("tenant_id","turn_id") REFERENCES "agents"."turns"("tenant_id","turn_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "recording_keys_by_id" ON "agents"."recording_keys" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "recording_keys_by_age" ON "agents"."recording_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "turn_recordings_by_age" ON "agents"."turn_recordings" USING btree ("created_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."recording_keys" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."turn_recordings" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."recording_keys" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agents"."turn_recordings" FORCE ROW LEVEL SECURITY;
