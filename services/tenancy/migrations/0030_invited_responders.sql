ALTER TABLE "tenancy"."invitations" ADD COLUMN "bot_ids" uuid[] DEFAULT '{}' NOT NULL;
