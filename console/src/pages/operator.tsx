import type { Schema } from '@botyard/client/client';
import { postAction, useAction } from '../api/use-action.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Button, State } from '../parts/controls.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { OperatorLogs } from './operator-logs.tsx';
import { OperatorPage } from './operator-sections.tsx';

export function Operator() {
  const services = useAnswer('/api/system/services', { everyMs: 2000 });
  return (
    <OperatorPage answers={[services]}>
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
      <OperatorLogs services={services.data?.map(({ serviceName }) => serviceName) ?? []} />
    </OperatorPage>
  );
}

function Restart({ serviceName }: { serviceName: string }) {
  const restart = useAction();
  const path = '/api/system/services/{serviceName}/restart';
  const names = { serviceName };
  const last = useAnswer(path, { path: names, everyMs: 2000, enabled: restart.isSuccess });
  const ask = () =>
    window.confirm(`Restart ${serviceName}? Its processes restart one after another.`) &&
    restart.mutate(postAction(`Restart of ${serviceName} requested`, path, { names }));
  return (
    <div className="grid justify-items-start gap-1">
      <div className="flex items-center gap-2">
        <Button disabled={restart.isPending || last.data?.state === 'running'} onClick={ask}>
          Restart {serviceName}
        </Button>
        {last.data && <State word={last.data.state} />}
      </div>
      {last.data && <RestartSteps restart={last.data} />}
    </div>
  );
}

/** The processes of a service, which restart one after another. */
function RestartSteps({ restart: { instances, reason } }: { restart: Schema<'Restart'> }) {
  return (
    <>
      <ol className="grid gap-1 text-xs text-soft">
        {instances.map(({ instanceId, state }, index) => (
          <li key={instanceId}>
            Process {index + 1} of {instances.length}: {state}
          </li>
        ))}
      </ol>
      {reason && <p className="text-sm text-bad">{reason}</p>}
    </>
  );
}
