CREATE INDEX "log_entries_of_run" ON "usage"."log_entries" USING btree ("tenant_id","conversation_id") WHERE outcome = 'evaluation';
