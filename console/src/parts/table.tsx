import type { ReactNode } from 'react';
import { ShowMore } from './show-more.tsx';
import { Loaded } from './states.tsx';

interface Column<Row> {
  title: string;
  of: (row: Row) => ReactNode;
  isNumber?: boolean;
}

interface List<Row> {
  data: Row[] | undefined;
  error: Error | null;
  refetch: () => unknown;
  more?: (() => void) | undefined;
  moreError?: Error | null;
}

/** Rows that are all there, in the form of a list that is read page by page. */
export const completeList = <Row,>(data: Row[]): List<Row> => ({
  data,
  error: null,
  refetch: () => undefined,
});

interface TableProps<Row> {
  label: string;
  list: List<Row>;
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

/** On a phone a row is a card: its first cell is the heading, the others stand beside the names of their columns. */
function Rows<Row>({ columns, rows, keyOf }: Pick<TableProps<Row>, 'columns' | 'keyOf'> & { rows: Row[] }) {
  const side = ({ isNumber }: Column<Row>) => (isNumber ? 'md:text-right tabular-nums' : 'text-left');
  return (
    <table className="w-full border-collapse text-sm max-md:block">
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-soft">
          {columns.map((column) => (
            <th key={column.title} scope="col" className={`px-4 py-2.5 text-xs font-medium ${side(column)}`}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:block">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            data-key={keyOf(row)}
            tabIndex={-1}
            className="border-b border-line last:border-0 hover:bg-hover focus:bg-hover focus:-outline-offset-2 max-md:grid max-md:grid-cols-[minmax(0,1fr)] max-md:gap-1.5 max-md:px-4 max-md:py-3"
          >
            {columns.map((column, index) => (
              <td
                key={column.title}
                className={`break-words md:max-w-md md:px-4 md:py-3 ${side(column)} ${index === 0 ? heading : beside}`}
              >
                {index > 0 && (
                  <span aria-hidden className="text-xs text-soft md:hidden">
                    {column.title}
                  </span>
                )}
                <div
                  dir="auto"
                  className="max-md:min-w-0 max-md:overflow-x-clip max-md:[overflow-wrap:anywhere]"
                >
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

const heading = 'max-md:font-semibold';
const beside = 'max-md:grid max-md:grid-cols-[7rem_minmax(0,1fr)] max-md:items-baseline max-md:gap-3';
