ALTER TABLE "webhooks"."parts" ALTER COLUMN "reply_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."chats" ADD COLUMN "platform" text DEFAULT 'messenger' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."parts" ADD COLUMN "payload" jsonb;--> statement-breakpoint
CREATE INDEX "parts_of_no_reply" ON "webhooks"."parts" USING btree ("tenant_id") WHERE reply_id is null;--> statement-breakpoint
-- Processes of the release before claim chats whatever their platform is, and would send all of them as the messenger's.
-- Their claims have numbers from 0 on, those of this release negative ones: of another platform theirs are left out.
-- Unused when no process of the release before is left; mails that those queue are queued here by the processes themselves.
CREATE FUNCTION "webhooks"."leave_out" () RETURNS trigger LANGUAGE plpgsql AS $$
begin
  return null;
end
$$;--> statement-breakpoint
CREATE TRIGGER "leave_out_claims_of_the_release_before" BEFORE UPDATE OF fence ON "webhooks"."chats" FOR EACH ROW
  WHEN (new.platform <> 'messenger' and new.fence >= 0 and new.fence <> old.fence) EXECUTE FUNCTION "webhooks"."leave_out"();
