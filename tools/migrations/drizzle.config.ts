import type { Config } from 'drizzle-kit';

/** The configuration of drizzle-kit. `tools/migrations/main.ts` sets the service, a test also the folder. */
const service = process.env.MIGRATIONS_SERVICE ?? '';

export default {
  dialect: 'postgresql',
  schema: `./services/${service}/src/store/**/*schema.ts`,
  out: process.env.MIGRATIONS_FOLDER ?? `./services/${service}/migrations`,
} satisfies Config;
