import { useNavigate, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Button, Field, Form, State } from '../parts/controls.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { OperatorPage } from './operator-sections.tsx';

export function Operator() {
  const services = useAnswer('/api/system/services', { everyMs: 2000 });
  const { by: level = 'warn', q } = useSearch({ strict: false });
  const logs = useList('/api/system/logs', { query: { limit: 100, level, text: q }, everyMs: 4000 });
  return (
    <OperatorPage answers={[services, logs]}>
      <Table
        label="Services"
        list={services}
        keyOf={({ serviceName }) => serviceName}
        empty={<Empty title="No service has reported yet." />}
        columns={[
          { title: 'Service', of: ({ serviceName }) => serviceName },
          { title: 'State', of: ({ state }) => <State word={state} /> },
          { title: 'Versions', of: ({ versions }) => versions.join(', ') },
          { title: 'Processes', of: ({ instances }) => instances.length, isNumber: true },
          {
            title: 'CPU',
            of: ({ instances }) => instances.map(({ load }) => `${Math.round(load.cpu * 100)} %`).join(', '),
            isNumber: true,
          },
          {
            title: 'Memory',
            of: ({ instances }) =>
              instances
                .map(({ load }) => `${count(Math.round(load.residentBytes / 2 ** 20))} MiB`)
                .join(', '),
            isNumber: true,
          },
          { title: 'Started', of: ({ instances }) => <Time at={instances[0]?.startedAt} /> },
          { title: 'Actions', of: ({ serviceName }) => <Restart serviceName={serviceName} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Logs</h2>
      <LogFilter level={level} text={q} />
      <Table
        label="Logs"
        list={logs}
        keyOf={({ at, instanceId, message }) => `${at} ${instanceId} ${message}`}
        empty={<Empty title="No recent log entries.">Choose a lower level to see more.</Empty>}
        columns={[
          { title: 'Time', of: ({ at }) => <Time at={at} /> },
          { title: 'Level', of: ({ level }) => level },
          { title: 'Service', of: ({ serviceName }) => serviceName },
          {
            title: 'Message',
            of: ({ message, fields }) => (
              <>
                {message} <code className="text-xs break-all text-soft">{wordsOf(fields)}</code>
              </>
            ),
          },
        ]}
      />
    </OperatorPage>
  );
}

const wordsOf = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' ')
    .slice(0, 500);

function LogFilter({ level, text }: { level: string; text: string | undefined }) {
  const navigate = useNavigate();
  return (
    <Form
      onSend={({ level: by, text: words }) =>
        void navigate({
          to: '.',
          search: (now) => ({ ...now, by, q: words || undefined }),
          replace: true,
        })
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <Field
          label="Minimum level"
          name="level"
          choices={['debug', 'info', 'warn', 'error']}
          defaultValue={level}
        />
        <Field label="Contains" name="text" defaultValue={text ?? ''} />
        <Button type="submit">Filter</Button>
      </div>
    </Form>
  );
}

function Restart({ serviceName }: { serviceName: string }) {
  const restart = useAction();
  const path = '/api/system/services/{serviceName}/restart';
  const names = { serviceName };
  const last = useAnswer(path, { path: names, everyMs: 2000, enabled: restart.isSuccess });
  const ask = () =>
    window.confirm(`Restart ${serviceName}? Its processes restart one after another.`) &&
    restart.mutate({ what: `Restart of ${serviceName} requested`, method: 'post', path, names });
  return (
    <div className="flex items-center gap-2">
      <Button disabled={restart.isPending || last.data?.state === 'running'} onClick={ask}>
        Restart {serviceName}
      </Button>
      {last.data && <State word={last.data.state} />}
    </div>
  );
}
