import { useAnswer, useList } from '../api/use-answer.ts';
import { Panel } from '../parts/controls.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { OperatorPage } from './operator-sections.tsx';

const mebibytes = (bytes: number): string =>
  `${(bytes / 2 ** 20).toLocaleString(undefined, { maximumFractionDigits: 1 })} MiB`;

export function OperatorDatabase() {
  const stats = useAnswer('/api/database/stats');
  const tables = useAnswer('/api/database/collections');
  const migrations = useList('/api/database/migrations');
  return (
    <OperatorPage answers={[stats, tables, migrations]}>
      <Loaded answer={stats}>
        {({ databaseBytes, rows, connections, measuredAt }) => (
          <Panel title="Overview">
            <p>
              {mebibytes(databaseBytes)}, about {count(rows)} rows, {connections.used} of {connections.most}{' '}
              connections. Measured <Time at={measuredAt} />.
            </p>
          </Panel>
        )}
      </Loaded>
      <Table
        label="Tables"
        list={{
          ...tables,
          data: tables.data?.toSorted((left, right) => right.totalBytes - left.totalBytes),
        }}
        keyOf={({ collectionName }) => collectionName}
        empty={<Empty title="No tables." />}
        columns={[
          { title: 'Table', of: ({ collectionName }) => <code>{collectionName}</code> },
          { title: 'Rows', of: ({ rows, isExact }) => `${isExact ? '' : '~'}${count(rows)}`, isNumber: true },
          { title: 'Size', of: ({ totalBytes }) => mebibytes(totalBytes), isNumber: true },
          { title: 'Indexes', of: ({ indexBytes }) => mebibytes(indexBytes), isNumber: true },
        ]}
      />
      <h2 className="text-lg font-semibold">Migrations</h2>
      <Table
        label="Migrations"
        list={migrations}
        keyOf={({ schema, name }) => `${schema} ${name}`}
        empty={<Empty title="No migrations." />}
        columns={[
          { title: 'Service', of: ({ schema }) => schema },
          { title: 'Migration', of: ({ name }) => name },
          { title: 'Applied', of: ({ appliedAt }) => <Time at={appliedAt} /> },
        ]}
      />
    </OperatorPage>
  );
}
