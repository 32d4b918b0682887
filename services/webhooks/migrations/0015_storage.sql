CREATE TABLE "webhooks"."storage_use" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"limit_bytes" bigint
);
--> statement-breakpoint
ALTER TABLE "webhooks"."storage_use" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."mail_attachments" ADD COLUMN "missing_reason" text;--> statement-breakpoint
ALTER TABLE "webhooks"."mail_attachments" ADD COLUMN "created_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "mail_attachments_by_age" ON "webhooks"."mail_attachments" USING btree ("created_at") WHERE missing_reason is null;--> statement-breakpoint
CREATE INDEX "mails_original_by_age" ON "webhooks"."mails" USING btree ("created_at") WHERE original_text is not null or html is not null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."storage_use" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."storage_use" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
-- What is kept of tenants is counted by the tables themselves, so that whatever adds, removes or empties a row counts.
CREATE FUNCTION "webhooks"."count_bytes" (counted uuid, more bigint) RETURNS void LANGUAGE plpgsql AS $$
begin
  if more > 0 then
    insert into webhooks.storage_use as known (tenant_id, bytes) values (counted, more)
      on conflict (tenant_id) do update set bytes = known.bytes + excluded.bytes;
  elsif more < 0 then
    -- The count of a tenant that was deleted may be gone already.
    update webhooks.storage_use set bytes = bytes + more where tenant_id = counted;
  end if;
end
$$;--> statement-breakpoint
CREATE FUNCTION "webhooks"."count_files" () RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform webhooks.count_bytes(tenant_id, case tg_op when 'INSERT' then bytes else -bytes end)
    from (select tenant_id, sum(size_bytes)::bigint as bytes from changed where missing_reason is null
          group by tenant_id order by tenant_id) as sums;
  return null;
end
$$;--> statement-breakpoint
CREATE FUNCTION "webhooks"."count_lost_file" () RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform webhooks.count_bytes(new.tenant_id, case when new.missing_reason is null then new.size_bytes else -new.size_bytes end);
  return null;
end
$$;--> statement-breakpoint
CREATE FUNCTION "webhooks"."bytes_of_mail" (original text, html text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  select (coalesce(octet_length(original), 0) + coalesce(octet_length(html), 0))::bigint
$$;--> statement-breakpoint
CREATE FUNCTION "webhooks"."count_mails" () RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform webhooks.count_bytes(tenant_id, case tg_op when 'INSERT' then bytes else -bytes end)
    from (select tenant_id, sum(webhooks.bytes_of_mail(original_text, html))::bigint as bytes from changed
          group by tenant_id order by tenant_id) as sums;
  return null;
end
$$;--> statement-breakpoint
CREATE FUNCTION "webhooks"."count_changed_mail" () RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform webhooks.count_bytes(new.tenant_id,
    webhooks.bytes_of_mail(new.original_text, new.html) - webhooks.bytes_of_mail(old.original_text, old.html));
  return null;
end
$$;--> statement-breakpoint
CREATE TRIGGER "count_new_files" AFTER INSERT ON "webhooks"."mail_attachments"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "webhooks"."count_files"();--> statement-breakpoint
CREATE TRIGGER "count_removed_files" AFTER DELETE ON "webhooks"."mail_attachments"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "webhooks"."count_files"();--> statement-breakpoint
CREATE TRIGGER "count_lost_file" AFTER UPDATE OF missing_reason ON "webhooks"."mail_attachments" FOR EACH ROW
  WHEN ((old.missing_reason is null) <> (new.missing_reason is null)) EXECUTE FUNCTION "webhooks"."count_lost_file"();--> statement-breakpoint
CREATE TRIGGER "count_new_mails" AFTER INSERT ON "webhooks"."mails"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "webhooks"."count_mails"();--> statement-breakpoint
CREATE TRIGGER "count_removed_mails" AFTER DELETE ON "webhooks"."mails"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "webhooks"."count_mails"();--> statement-breakpoint
CREATE TRIGGER "count_changed_mail" AFTER UPDATE OF original_text, html ON "webhooks"."mails" FOR EACH ROW
  EXECUTE FUNCTION "webhooks"."count_changed_mail"();--> statement-breakpoint
-- What was kept before. The triggers have locked both tables until the end of the migration.
SELECT set_config('app.platform', 'count what is kept', true);--> statement-breakpoint
INSERT INTO "webhooks"."storage_use" (tenant_id, bytes)
  SELECT tenant_id, sum(bytes) FROM (
    SELECT tenant_id, size_bytes::bigint AS bytes FROM "webhooks"."mail_attachments"
    UNION ALL SELECT tenant_id, "webhooks"."bytes_of_mail"(original_text, html) FROM "webhooks"."mails") AS kept
  GROUP BY tenant_id;--> statement-breakpoint
SELECT set_config('app.platform', '', true);
