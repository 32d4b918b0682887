import type { Schema } from '@botyard/client/client';
import { useAnswer } from '../api/use-answer.ts';
import { Panel, State } from '../parts/controls.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { completeList, Table } from '../parts/table.tsx';
import { OperatorPage } from './operator-sections.tsx';

export function OperatorConfiguration() {
  const status = useAnswer('/api/config/status');
  const config = useAnswer('/api/config');
  return (
    <OperatorPage answers={[status, config]}>
      <Loaded answer={status}>
        {({ status: word, missing, problems, unanswered }) => (
          <Panel title="Status">
            <State word={word} />
            <ul className="mt-3 grid gap-1 text-sm">
              {[...switchedOff(missing)].map(([setting, consequence]) => (
                <li key={setting}>
                  <code>{setting}</code> is not set: {consequence}
                </li>
              ))}
              {problems.map(({ serviceName, setting, problem }) => (
                <li key={`${serviceName} ${setting} ${problem}`} className="text-bad">
                  <code>{setting}</code> ({serviceName}): {problem}
                </li>
              ))}
              {unanswered.map((service) => (
                <li key={service} className="text-bad">
                  {service} is not responding.
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </Loaded>
      <Loaded answer={config}>
        {({ services }) =>
          services.map(({ serviceName, settings }) => (
            <section key={serviceName} className="grid gap-3">
              <h2 className="text-lg font-semibold">{serviceName}</h2>
              <Table
                label={`Settings of ${serviceName}`}
                list={completeList(settings)}
                keyOf={({ name }) => name}
                empty={<Empty title="No settings." />}
                columns={[
                  { title: 'Setting', of: ({ name }) => <code>{name}</code> },
                  { title: 'Value', of: (setting) => <Value {...setting} /> },
                  { title: 'From', of: ({ source }) => source ?? '' },
                ]}
              />
            </section>
          ))
        }
      </Loaded>
    </OperatorPage>
  );
}

/** Lists a setting once even if several services need it. */
const switchedOff = (missing: readonly Schema<'MissingSetting'>[]): Map<string, string> =>
  new Map(missing.map(({ setting, switchesOff }) => [setting, switchesOff]));

/** A secret shows only whether it is set. */
function Value({ isSet, value }: Schema<'Setting'>) {
  if (value === undefined) return <span className="text-soft">{isSet ? 'set' : 'not set'}</span>;
  return value === null ? <span className="text-soft">not set</span> : <code>{String(value)}</code>;
}
