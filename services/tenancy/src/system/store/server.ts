import type { PlatformTx } from '@botyard/shared/db/database';
import { text } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

export async function getServerVersion(tx: PlatformTx): Promise<string> {
  const [row] = await tx.query({
    name: 'tenancy.server.version',
    text: typedSql`select ${columns({ version: text(`split_part(current_setting('server_version'), ' ', 1)`) })}`,
    values: [],
  });
  return row?.version ?? 'unknown';
}
