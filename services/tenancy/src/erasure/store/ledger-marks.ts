import type { PlatformTx } from '@botyard/shared/db/database';

const name = 'erasures';

export async function getLedgerMark(tx: PlatformTx): Promise<string | null> {
  const [row] = await tx.query<{ mark: string }>({
    name: 'tenancy.ledger-marks.get',
    text: 'select mark from tenancy.ledger_marks where name = $1',
    values: [name],
  });
  return row?.mark ?? null;
}

export async function setLedgerMark(tx: PlatformTx, mark: string): Promise<void> {
  await tx.query({
    name: 'tenancy.ledger-marks.set',
    text: `insert into tenancy.ledger_marks (name, mark) values ($1, $2)
           on conflict (name) do update set mark = excluded.mark`,
    values: [name, mark],
  });
}
