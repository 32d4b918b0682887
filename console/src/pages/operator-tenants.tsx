import { useList } from '../api/use-answer.ts';
import { State } from '../parts/controls.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { OperatorPage } from './operator-sections.tsx';
import { TenantLink } from './other-tenant.tsx';
import { problemWords } from './problem-words.ts';

export function OperatorTenants() {
  const tenants = useList('/api/dashboard/tenants/status', { everyMs: 10_000 });
  const inTrouble = tenants.data && {
    ...tenants,
    data: tenants.data.toSorted((left, right) => right.problems.length - left.problems.length),
  };
  return (
    <OperatorPage answers={[tenants]}>
      <Table
        label="Tenants"
        list={inTrouble ?? tenants}
        keyOf={({ tenantId }) => tenantId}
        empty={<Empty title="No tenants yet." />}
        columns={[
          { title: 'Tenant', of: ({ tenantId, name }) => <TenantLink tenantId={tenantId} name={name} /> },
          {
            title: 'Problems',
            of: ({ problems }) =>
              problems.length === 0 ? (
                <State word="ready" />
              ) : (
                <ul className="grid gap-1">
                  {problems.map(({ kind, count: many }) => (
                    <li key={kind} className="text-bad">
                      {count(many)} × {problemWords[kind] ?? kind}
                    </li>
                  ))}
                </ul>
              ),
          },
          { title: 'Bots', of: ({ bots }) => `${bots.enabled} of ${bots.all}`, isNumber: true },
          {
            title: 'Channels',
            of: ({ integrations }) => `${integrations.registered} of ${integrations.all}`,
            isNumber: true,
          },
          { title: 'Waiting messages', of: ({ work }) => count(work?.messagesWaiting ?? 0), isNumber: true },
          { title: 'Checked', of: ({ checkedAt }) => <Time at={checkedAt} /> },
        ]}
      />
    </OperatorPage>
  );
}
