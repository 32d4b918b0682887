import { randomUUID } from 'node:crypto';
import { type ServiceWithSchema, servicesWithSchema } from '@botyard/shared/db/migrate';
import type { ServiceHarness } from '@botyard/testing/service-harness';

export interface TenantTable {
  service: ServiceWithSchema;
  /** With its schema. */
  table: string;
}

interface Column {
  name: string;
  type: string;
}

/** Values for columns in which a value of the right type alone breaks a rule of the table. */
const fitting: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  // A due one would be answered, and deleted because its turn doesn't exist.
  'agents.shadow_answers': { ready_at: null },
  'agents.rating_questions': { ready_at: '2999-01-01' },
  'tenancy.tenants': { is_platform: false, idp_org_id: null },
  'tenancy.edges': { object_type: 'group', bot_id: null },
  'webhooks.mail_attachments': { object_key: 'tenant/mail/file', remove_at: null },
  // Nothing is done by these meanwhile.
  'webhooks.mail_readings': { due_at: '2999-01-01' },
  'agents.archive_settings': { is_enabled: false },
  'agents.archive_files': { object_key: 'tenant/archive/file', next_key: null, old_key: null },
};

/** Every table of every service that keeps something of tenants, as the migrated database has them. */
export async function tenantTables(harness: ServiceHarness): Promise<TenantTable[]> {
  return await harness.asOwner<TenantTable>(
    `select n.nspname as service, n.nspname || '.' || c.relname as table
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where c.relkind in ('r', 'p') and n.nspname = any ($1) order by 2`,
    [servicesWithSchema],
  );
}

/** Puts one row of the tenant into a table, past every reference and policy. */
export async function insertRow(
  harness: ServiceHarness,
  { table }: TenantTable,
  tenantId: string,
): Promise<void> {
  const columns = await harness.asOwner<Column>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
    [table],
  );
  const ownValues: Readonly<Record<string, unknown>> = { ...fitting[table], tenant_id: tenantId };
  const values = columns.map(({ name, type }) => (name in ownValues ? ownValues[name] : someValue(type)));
  const names = columns.map(({ name }) => `"${name}"`).join();
  const places = columns.map(({ type }, index) => `$${index + 1}::${type}`).join();
  await harness.asOwner(
    `with alone as (select set_config('session_replication_role', 'replica', false))
     insert into ${table} (${names}) select ${places} from alone`,
    values,
  );
}

function someValue(type: string): unknown {
  if (type.endsWith('[]')) return '{}';
  if (type === 'uuid' || type === 'text') return randomUUID();
  if (type.startsWith('timestamp') || type === 'date') return '2026-01-01';
  if (type === 'jsonb') return '{}';
  if (type === 'boolean') return 'true';
  return '1';
}
