import { useAnswer, useList } from '../api/use-answer.ts';
import { State } from '../parts/controls.tsx';
import { Figures } from '../parts/figures.tsx';
import { Json, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count } from '../parts/text.tsx';
import { AccessSections } from './access-sections.tsx';

const path = '/api/migrations/authorization-policy';

/** For operators: what moving rights to relationships and policies would change, row by row. */
export function PolicyMigration() {
  const status = useAnswer(`${path}/status`, { everyMs: 4000 });
  const rows = useList(`${path}/preview`);
  return (
    <Page
      title="Access"
      about="What the move of rights to relationships and policies would change. It is begun with the API."
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
        empty={<Empty title="Nothing to change.">All rights are relationships and policies already.</Empty>}
        columns={[
          { title: 'Tenant', of: ({ tenantId }) => tenantId },
          { title: 'Change', of: ({ change, kind }) => `${change} ${kind}` },
          { title: 'Who', of: ({ subject }) => subject },
          { title: 'Is or does', of: ({ relation }) => relation },
          { title: 'Of', of: ({ object }) => object },
          { title: 'Before and after', of: ({ before, after }) => <Json value={{ before, after }} /> },
        ]}
      />
    </Page>
  );
}
