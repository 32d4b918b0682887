import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { useList } from '../api/use-answer.ts';
import { State } from '../parts/controls.tsx';
import { SearchChoice, SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { OtherTenant } from './other-tenant.tsx';

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** The lines that the services have logged recently. The filters are in the address. */
export function OperatorLogs({ services }: { services: readonly string[] }) {
  const { by: level = 'warn', kind: service, q } = useSearch({ strict: false });
  const logs = useList('/api/system/logs', { query: { limit: 100, level, service, text: q }, everyMs: 4000 });
  return (
    <>
      <h2 className="text-lg font-semibold">Logs</h2>
      <div className="grid max-w-3xl items-start gap-3 sm:grid-cols-3">
        <SearchChoice
          label="Minimum level"
          name="by"
          value={level}
          options={levels.map((one) => [one, one] as const)}
          replace
        />
        <SearchChoice
          label="Service"
          name="kind"
          options={[['', 'All'], ...services.map((one) => [one, one] as const)]}
          replace
        />
        <SearchForm label="Contains" hint="Press Enter to search." replace />
      </div>
      <Table
        label="Logs"
        list={logs}
        keyOf={({ at, instanceId, message }) => `${at} ${instanceId} ${message}`}
        empty={<Empty title="No recent log entries.">Choose a lower level to see more.</Empty>}
        columns={[
          { title: 'Time', of: ({ at }) => <LogTime at={at} /> },
          { title: 'Level', of: ({ level: word }) => <State word={word} /> },
          { title: 'Service', of: ({ serviceName }) => serviceName },
          { title: 'Message', of: (entry) => <Line entry={entry} /> },
        ]}
      />
    </>
  );
}

/** With seconds, and the day unless it is today. */
function LogTime({ at }: { at: string }) {
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={moment.toLocaleString()} className="whitespace-nowrap tabular-nums">
      {moment.toLocaleString(undefined, {
        ...(isToday ? {} : { day: 'numeric', month: 'short' }),
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
      })}
    </time>
  );
}

/** A line's message. Its fields, and the stack of its error, are folded. */
function Line({ entry: { message, fields } }: { entry: Schema<'LogEntry'> }) {
  const { err, tenantId, ...others } = fields;
  const { stack, message: cause } = errorOf(err);
  const rows = Object.entries(others);
  return (
    <>
      <p className="break-words">{message}</p>
      {cause && <p className="text-sm break-words text-bad">{cause}</p>}
      {typeof tenantId === 'string' && (
        <p className="text-sm text-soft">
          Tenant <OtherTenant tenantId={tenantId} />
        </p>
      )}
      {(stack || rows.length > 0) && (
        <details className="mt-1 text-xs text-soft">
          <summary className="cursor-pointer">Details</summary>
          <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3">
            {rows.map(([name, value]) => (
              <div key={name} className="contents">
                <dt>{name}</dt>
                <dd className="break-all">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
          {stack && (
            <pre dir="ltr" className="mt-1 break-all whitespace-pre-wrap">
              {stack}
            </pre>
          )}
        </details>
      )}
    </>
  );
}

function errorOf(err: unknown): { message?: string; stack?: string } {
  if (typeof err === 'string') return { message: err };
  return typeof err === 'object' && err !== null ? err : {};
}
