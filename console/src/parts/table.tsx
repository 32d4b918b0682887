import type { ReactNode } from 'react';
import { ShowMore } from './show-more.tsx';
import { Loaded } from './states.tsx';

interface Column<Row> {
  title: string;
  of: (row: Row) => ReactNode;
  isNumber?: boolean;
}

interface TableProps<Row> {
  label: string;
  list: {
    data: Row[] | undefined;
    error: Error | null;
    refetch: () => unknown;
    more?: (() => void) | undefined;
    moreError?: Error | null;
  };
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  empty: ReactNode;
}

export function Table<Row>({ label, list, columns, keyOf, empty }: TableProps<Row>) {
  return (
    <Loaded answer={list}>
      {(rows) =>
        rows.length === 0 ? (
          empty
        ) : (
          <div className="grid justify-items-start gap-3">
            <section
              aria-label={label}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
              tabIndex={0}
              className="w-full overflow-x-auto rounded-xl border border-line bg-panel"
            >
              <Rows columns={columns} rows={rows} keyOf={keyOf} />
            </section>
            <ShowMore list={list} />
          </div>
        )
      }
    </Loaded>
  );
}

/** On a phone a table scrolls sideways. A minimum cell width keeps several words on a line. */
const comfortable = 'max-md:w-max max-md:max-w-48';

function Rows<Row>({
  columns,
  rows,
  keyOf,
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  const side = ({ isNumber }: Column<Row>) => (isNumber ? 'text-right tabular-nums' : 'text-left');
  return (
    <table className="w-full border-collapse text-sm">
      <thead>
        <tr className="border-b border-line text-soft">
          {columns.map((column) => (
            <th key={column.title} scope="col" className={`px-4 py-2.5 text-xs font-medium ${side(column)}`}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className="border-b border-line last:border-0 hover:bg-hover">
            {columns.map((column) => (
              <td key={column.title} className={`max-w-md px-4 py-3 break-words ${side(column)}`}>
                <div dir="auto" className={comfortable}>
                  {column.of(row)}
                </div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
