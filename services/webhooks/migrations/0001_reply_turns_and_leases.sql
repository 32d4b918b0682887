CREATE TABLE "webhooks"."reply_turns" (
	"tenant_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"next_reply_seq" bigint DEFAULT 1 NOT NULL,
	CONSTRAINT "reply_turns_tenant_id_conversation_id_pk" PRIMARY KEY("tenant_id","conversation_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks"."reply_turns" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."endpoints" ADD COLUMN "registration_lease_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "replies_waiting" ON "webhooks"."replies" USING btree ("created_at") WHERE state = 'waiting';--> statement-breakpoint
select set_config('app.platform', 'migration', true);--> statement-breakpoint
INSERT INTO "webhooks"."reply_turns" SELECT tenant_id, conversation_id, next_reply_seq FROM "webhooks"."conversations" WHERE next_reply_seq > 1;--> statement-breakpoint
ALTER TABLE "webhooks"."conversations" DROP COLUMN "next_reply_seq";--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."reply_turns" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."reply_turns" FORCE ROW LEVEL SECURITY;
