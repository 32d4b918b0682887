import type { PlatformTx } from '@botyard/shared/db/database';

export async function getServerVersion(tx: PlatformTx): Promise<string> {
  const [row] = await tx.query<{ version: string }>({
    name: 'tenancy.server.version',
    text: `select split_part(current_setting('server_version'), ' ', 1) as version`,
    values: [],
  });
  return row?.version ?? 'unknown';
}
