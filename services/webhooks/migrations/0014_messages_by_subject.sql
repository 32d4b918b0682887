CREATE INDEX "outbox_by_subject" ON "webhooks"."outbox" USING hash ("subject");
