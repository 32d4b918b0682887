CREATE INDEX "quotes_by_time" ON "agents"."quotes" USING btree ("quote_id");
