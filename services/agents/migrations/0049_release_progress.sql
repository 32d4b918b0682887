ALTER TABLE "agents"."agent_releases" ADD COLUMN "progress" jsonb DEFAULT '[]'::jsonb NOT NULL;
