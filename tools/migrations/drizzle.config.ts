import type { Config } from 'drizzle-kit';

/** The configuration of drizzle-kit. `tools/migrations/main.ts` sets the service. */
const service = process.env.MIGRATIONS_SERVICE ?? '';

export default {
  dialect: 'postgresql',
  schema: `./services/${service}/src/store/**/*schema.ts`,
  out: `./services/${service}/migrations`,
} satisfies Config;
