import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { migrateAll, servicesWithSchema } from '@botyard/shared/db/migrate';
import pg from 'pg';

const template = 'botyard_template';

/** A database with every migration applied; a test file clones it in some milliseconds. */
export async function makeTemplateDatabase(postgresUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(`create database ${template}`);
  } finally {
    await client.end();
  }
  const ownerUrl = new URL(postgresUrl);
  ownerUrl.pathname = `/${template}`;
  const passwords = Object.fromEntries(
    servicesWithSchema.map((service) => [service, randomBytes(24).toString('base64url')]),
  );
  await migrateAll({
    ownerUrl: ownerUrl.href,
    servicesDir: fileURLToPath(new URL('../../services', import.meta.url)),
    passwords: passwords as Record<(typeof servicesWithSchema)[number], string>,
  });
}
