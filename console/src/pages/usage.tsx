import { lazy, Suspense } from 'react';
import { useActing } from '../api/acting.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { Panel } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded, Skeleton } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, dollars, Time } from '../parts/text.tsx';

const Bars = lazy(async () => ({ default: (await import('../parts/bars.tsx')).Bars }));

export function Usage() {
  const { tenantId } = useActing();
  const path = { tenantId: tenantId ?? '' };
  const enabled = tenantId !== null;
  const byDay = useAnswer('/api/usage/{tenantId}', { path, enabled, query: { groupBy: 'day' } });
  const byModel = useAnswer('/api/usage/{tenantId}', { path, enabled, query: { groupBy: 'model' } });
  const models = { ...byModel, data: byModel.data?.series ?? (byModel.data && []) };
  return (
    <Page
      title="Usage"
      about="What the tenant has used in this period, and what it costs."
      answers={[byDay, byModel]}
    >
      <Loaded answer={byDay}>
        {({ counters, periodStart, periodEnd, series = [] }) => (
          <>
            <Panel title="This period">
              <p className="mb-3 text-sm text-soft">
                <Time at={periodStart} /> to <Time at={periodEnd} />
              </p>
              <dl className="grid grid-cols-2 gap-4 md:grid-cols-5">
                <Figure name="Cost" value={dollars(counters.costMicroUsd)} />
                <Figure name="Messages" value={count(counters.messages)} />
                <Figure name="Tokens in" value={count(counters.inputTokens)} />
                <Figure name="Tokens out" value={count(counters.outputTokens)} />
                <Figure name="Without a price" value={count(counters.unpricedTurns)} />
              </dl>
            </Panel>
            <Panel title="Messages by day">
              <Suspense fallback={<Skeleton />}>
                <Bars
                  bars={series.map((group) => ({ name: group.day ?? '', value: group.counters.messages }))}
                />
              </Suspense>
            </Panel>
          </>
        )}
      </Loaded>
      <Table
        label="By model"
        list={models}
        keyOf={({ provider, model }) => `${provider} ${model}`}
        empty={<Empty title="Nothing used yet.">Usage is counted with the first answer.</Empty>}
        columns={[
          { title: 'Model', of: ({ provider, model }) => `${provider ?? ''} ${model ?? 'none'}` },
          { title: 'Messages', of: ({ counters }) => count(counters.messages), isNumber: true },
          { title: 'Tokens in', of: ({ counters }) => count(counters.inputTokens), isNumber: true },
          { title: 'Tokens out', of: ({ counters }) => count(counters.outputTokens), isNumber: true },
          { title: 'Cost', of: ({ counters }) => dollars(counters.costMicroUsd), isNumber: true },
        ]}
      />
    </Page>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="text-2xl font-semibold tabular-nums">{value}</dd>
    </div>
  );
}
