ALTER TABLE "keys"."keys" ADD COLUMN "cool_models" jsonb;
