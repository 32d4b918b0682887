ALTER TABLE "agents"."agent_definitions" ADD COLUMN "model_settings" jsonb DEFAULT '{}'::jsonb NOT NULL;
