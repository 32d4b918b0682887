CREATE TABLE "webhooks"."sender_processes" (
	"process_id" uuid PRIMARY KEY NOT NULL,
	"beat_at" timestamp (3) with time zone NOT NULL,
	"steady_since" timestamp (3) with time zone NOT NULL,
	"lives_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks"."sender_processes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ADD COLUMN "sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ADD COLUMN "open_sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ADD COLUMN "is_unannounced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."mails" ADD COLUMN "owner" uuid;--> statement-breakpoint
ALTER TABLE "webhooks"."chats" ADD COLUMN "owner" uuid;--> statement-breakpoint
ALTER TABLE "webhooks"."parts" ADD COLUMN "sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."parts" ADD COLUMN "open_sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."parts" ADD COLUMN "is_unannounced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks"."replies" ADD COLUMN "answer_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "mails_unannounced" ON "webhooks"."mails" USING btree ("tenant_id") WHERE is_unannounced;--> statement-breakpoint
CREATE INDEX "parts_unannounced" ON "webhooks"."parts" USING btree ("tenant_id") WHERE is_unannounced;--> statement-breakpoint
CREATE POLICY "platform_scope" ON "webhooks"."sender_processes" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."sender_processes" FORCE ROW LEVEL SECURITY;
