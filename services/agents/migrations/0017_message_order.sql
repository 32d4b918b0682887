-- A UUIDv7 of now, with the microseconds behind the milliseconds: what one statement writes is in the order of its rows, and what
-- several processes write is ordered by one clock.
CREATE FUNCTION "agents"."new_id" () RETURNS uuid LANGUAGE sql VOLATILE AS $$
  select encode(
    substring(int8send(us / 1000) from 3)
      || substring(int8send((7 * 4096 + us % 1000 * 4)::bigint) from 7)
      || set_bit(set_bit(substring(uuid_send(gen_random_uuid()) from 9), 7, 1), 6, 0), 'hex')::uuid
  from (select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as us) now
$$;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "after_seq" bigint;
