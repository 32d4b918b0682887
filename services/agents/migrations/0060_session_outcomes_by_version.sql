CREATE INDEX "session_outcomes_by_version" ON "agents"."session_outcomes" USING btree ("tenant_id","agent_id","agent_version");
