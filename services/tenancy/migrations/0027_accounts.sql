ALTER TABLE "tenancy"."integrations" ALTER COLUMN "token_hash" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "tenancy"."integrations" ADD COLUMN "account_id" text;--> statement-breakpoint
ALTER TABLE "tenancy"."integrations" ADD COLUMN "account_state" text DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "tenancy"."integrations" ADD COLUMN "account_reason" text;--> statement-breakpoint
CREATE UNIQUE INDEX "integrations_one_per_account" ON "tenancy"."integrations" USING btree ("integration_type","account_id");
--> statement-breakpoint
-- A process of version 0.1.0 changes credentials with their hash only: their account is then found anew.
CREATE FUNCTION tenancy.forget_account() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  new.account_id := null;
  new.account_state := 'active';
  new.account_reason := null;
  return new;
end $$;--> statement-breakpoint
CREATE TRIGGER "forget_account" BEFORE UPDATE OF token_hash ON "tenancy"."integrations" FOR EACH ROW
  WHEN (new.token_hash is not null and new.token_hash is distinct from old.token_hash)
  EXECUTE FUNCTION tenancy.forget_account();
