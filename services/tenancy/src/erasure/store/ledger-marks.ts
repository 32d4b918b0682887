import type { PlatformTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { ledgerMarks } from '../../store/erasure-schema.ts';

const name = 'erasures';

export async function getLedgerMark(tx: PlatformTx): Promise<string | null> {
  const [row] = await tx.query({
    name: 'tenancy.ledger-marks.get',
    text: typedSql`select ${columns({ mark: ledgerMarks.mark })} from tenancy.ledger_marks where name = $1`,
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
