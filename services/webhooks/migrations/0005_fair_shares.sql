DROP INDEX "webhooks"."chats_ready";--> statement-breakpoint
DROP INDEX "webhooks"."replies_waiting";--> statement-breakpoint
ALTER TABLE "webhooks"."bot_paces" ADD COLUMN "booked_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks"."chats" ADD COLUMN "is_booked" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "chats_ready" ON "webhooks"."chats" USING btree ("tenant_id","ready_at") WHERE ready_at is not null;--> statement-breakpoint
CREATE INDEX "replies_waiting" ON "webhooks"."replies" USING btree ("tenant_id","conversation_id","reply_seq") WHERE state = 'waiting';
