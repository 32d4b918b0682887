-- Whoever is a member already has been shown to the tenant's admins: the default fills the rows that there are, and no others.
ALTER TABLE "tenancy"."memberships" ADD COLUMN "visited_at" timestamp (3) with time zone DEFAULT now();--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ALTER COLUMN "visited_at" DROP DEFAULT;
