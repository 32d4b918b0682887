import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { migrationsOf } from '@botyard/shared/db/schema-version';
import { z } from 'zod';
import { root } from '../engine.ts';

export const snapshotsDir = join(root, 'test', 'deploy', 'snapshots');

/** `snapshot.json`: the origin of a snapshot's other files. */
export const SnapshotFacts = z.object({
  version: z.string(),
  /** The commit of the code that ran. */
  commit: z.string(),
  madeAt: z.iso.datetime(),
  /** Addresses that its platforms and its tables know. */
  ports: z.object({ gateway: z.number(), sandbox: z.number() }),
  /** Messages that wait, by the step of their way. */
  waiting: z.record(z.string(), z.number()),
  /** Texts of each person that were said, answered or not. */
  said: z.array(z.tuple([z.number(), z.array(z.string())])),
  /** `<service>/<migration>` with the digest of its file. */
  migrations: z.record(z.string(), z.string()),
});
export type SnapshotFacts = z.output<typeof SnapshotFacts>;

/** Versions that have a snapshot, the newest last. */
export function listSnapshots(): string[] {
  const versions = readdirSync(snapshotsDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return versions.map(({ name }) => name).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export function readFacts(version: string): SnapshotFacts {
  const text = readFileSync(join(snapshotsDir, version, 'snapshot.json'), 'utf8');
  return SnapshotFacts.parse(JSON.parse(text));
}

export function digestsOfMigrations(servicesDir: string): Record<string, string> {
  const digests = servicesWithSchema.flatMap((service) =>
    migrationsOf(servicesDir, service).map(({ tag }) => {
      const text = readFileSync(join(servicesDir, service, 'migrations', `${tag}.sql`));
      return [`${service}/${tag}`, createHash('sha256').update(text).digest('hex')];
    }),
  );
  return Object.fromEntries(digests);
}

export const pack = (value: unknown): Buffer => gzipSync(JSON.stringify(value), { level: 9 });
export const unpack = (packed: Buffer): unknown => JSON.parse(gunzipSync(packed).toString());

const moment = /(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|\+00(?::00)?)(?!\d)/g;

/**
 * Moves every moment in a text by so many milliseconds: messages of an old snapshot would be too old to be answered.
 */
export function shiftTimestamps(text: string, byMs: number): string {
  return text.replace(moment, (_all, day: string, between: string, time: string, zone: string) => {
    const moved = new Date(Date.parse(`${day}T${time}Z`) + byMs).toISOString();
    return `${moved.slice(0, 10)}${between}${moved.slice(11, -1)}${zone}`;
  });
}
