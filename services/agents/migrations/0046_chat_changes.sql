CREATE TABLE "agents"."chat_changes" (
	"tenant_id" uuid NOT NULL,
	"change_id" uuid DEFAULT agents.new_id() NOT NULL,
	"conversation_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"staff_id" uuid,
	"assignee_staff_id" uuid,
	"snoozed_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_changes_tenant_id_change_id_pk" PRIMARY KEY("tenant_id","change_id")
);
--> statement-breakpoint
ALTER TABLE "agents"."chat_changes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "chat_changes_of_chat" ON "agents"."chat_changes" USING btree ("tenant_id","conversation_id","change_id");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."chat_changes" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."chat_changes" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
-- Only a message moves the time of the last message. Other changes of the state are written where they are made.
CREATE FUNCTION "agents"."record_reopened" () RETURNS trigger LANGUAGE plpgsql AS $$
begin
  insert into agents.chat_changes (tenant_id, conversation_id, kind)
  values (new.tenant_id, new.conversation_id, 'reopened');
  return null;
end
$$;--> statement-breakpoint
CREATE TRIGGER "record_reopened" AFTER UPDATE OF state ON "agents"."conversations" FOR EACH ROW
  WHEN (old.state in ('snoozed', 'resolved') and new.state = 'open' and new.last_message_at is distinct from old.last_message_at)
  EXECUTE FUNCTION "agents"."record_reopened"();
