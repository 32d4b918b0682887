import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Button, State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';

export function Operator() {
  const services = useAnswer('/api/system/services', { everyMs: 2000 });
  const dead = useList('/api/interactions/all-dead-letters', { query: { limit: 20 } });
  const logs = useList('/api/system/logs', { query: { limit: 100 }, everyMs: 4000 });
  return (
    <Page
      title="Operator"
      about="The processes of the platform. Operators only."
      answers={[services, dead, logs]}
    >
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
          { title: 'Restart', of: ({ serviceName }) => <Restart serviceName={serviceName} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Dead letters of all tenants</h2>
      <Table
        label="Dead letters"
        list={dead}
        keyOf={({ messageId }) => messageId}
        empty={<Empty title="None." />}
        columns={[
          { title: 'Tenant', of: ({ tenantId }) => <code>{tenantId}</code> },
          { title: 'Message', of: ({ text }) => text.slice(0, 200) || 'without text' },
          { title: 'Reason', of: ({ reason }) => reason },
          { title: 'Since', of: ({ deadAt, createdAt }) => <Time at={deadAt ?? createdAt} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Logs</h2>
      <Table
        label="Logs"
        list={logs}
        keyOf={({ at, instanceId, message }) => `${at} ${instanceId} ${message}`}
        empty={<Empty title="Nothing was logged lately." />}
        columns={[
          { title: 'At', of: ({ at }) => <Time at={at} /> },
          { title: 'Level', of: ({ level }) => level },
          { title: 'Service', of: ({ serviceName }) => serviceName },
          { title: 'Message', of: ({ message }) => message },
        ]}
      />
    </Page>
  );
}

function Restart({ serviceName }: { serviceName: string }) {
  const restart = useAction();
  const path = '/api/system/services/{serviceName}/restart';
  const names = { serviceName };
  const last = useAnswer(path, { path: names, everyMs: 2000, enabled: restart.isSuccess });
  const ask = () =>
    window.confirm(`Restart ${serviceName}, one process after another?`) &&
    restart.mutate({ what: `Restart ${serviceName}`, method: 'post', path, names });
  return (
    <div className="flex items-center gap-2">
      <Button disabled={restart.isPending || last.data?.state === 'running'} onClick={ask}>
        Restart {serviceName}
      </Button>
      {last.data && <State word={last.data.state} />}
    </div>
  );
}
