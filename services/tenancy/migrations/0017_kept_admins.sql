CREATE INDEX "memberships_kept" ON "tenancy"."memberships" USING btree ("kept_since") WHERE kept_since is not null;
