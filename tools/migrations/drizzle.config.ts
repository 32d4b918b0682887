import type { Config } from 'drizzle-kit';

/** Read by drizzle-kit; `tools/migrations/main.ts` names the service. */
const service = process.env.MIGRATIONS_SERVICE ?? '';

export default {
  dialect: 'postgresql',
  schema: `./services/${service}/src/store/**/*schema.ts`,
  out: `./services/${service}/migrations`,
} satisfies Config;
