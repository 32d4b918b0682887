import { useAnswer, useList } from '../api/use-answer.ts';
import { State } from '../parts/controls.tsx';
import { Figures } from '../parts/figures.tsx';
import { Json, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count } from '../parts/text.tsx';
import { AccessSections } from './access-sections.tsx';
import { OtherTenant } from './other-tenant.tsx';

const path = '/api/migrations/authorization-policy';

/** Shows operators each change that the migration of rights to relationships and policies would make. */
export function PolicyMigration() {
  const status = useAnswer(`${path}/status`, { everyMs: 4000 });
  const rows = useList(`${path}/preview`);
  return (
    <Page
      title="Access"
      about="A preview of the migration of rights to relationships and policies. Start the migration through the API."
      answers={[status, rows]}
    >
      <AccessSections />
      <Loaded answer={status}>
        {({ state, pending, done, lastError }) => (
          <>
            <p>
              <State word={state} /> {lastError && <span className="text-bad">{lastError}</span>}
            </p>
            <Figures
              figures={[
                ['Relationships to change', count(pending.edges)],
                ['Policies to create', count(pending.policies)],
                ['Relationships changed', count(done.edges)],
                ['Policies created', count(done.policies)],
              ]}
            />
          </>
        )}
      </Loaded>
      <Table
        label="Changes"
        list={rows}
        keyOf={({ tenantId, kind, subject, relation, object }) =>
          [tenantId, kind, subject, relation, object].join(' ')
        }
        empty={<Empty title="No pending changes.">All rights are already relationships and policies.</Empty>}
        columns={[
          { title: 'Tenant', of: ({ tenantId }) => <OtherTenant tenantId={tenantId} /> },
          { title: 'Change', of: ({ change, kind }) => `${change} ${kind}` },
          { title: 'Subject', of: ({ subject }) => subject },
          { title: 'Relation or action', of: ({ relation }) => relation },
          { title: 'Object', of: ({ object }) => object },
          { title: 'Before and after', of: ({ before, after }) => <Json value={{ before, after }} /> },
        ]}
      />
    </Page>
  );
}
