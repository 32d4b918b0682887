import { useList } from '../api/use-answer.ts';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { OperatorPage } from './operator-sections.tsx';
import { OtherTenant } from './other-tenant.tsx';

/** Unanswered messages of all tenants. */
export function OperatorDeadLetters() {
  const dead = useList('/api/interactions/all-dead-letters');
  return (
    <OperatorPage answers={[dead]}>
      <Table
        label="Dead letters of all tenants"
        list={dead}
        keyOf={({ messageId }) => messageId}
        empty={<Empty title="No dead letters.">Every message of every tenant was answered.</Empty>}
        columns={[
          { title: 'Tenant', of: ({ tenantId }) => <OtherTenant tenantId={tenantId} /> },
          { title: 'Message', of: ({ text }) => text.slice(0, 200) || '(no text)' },
          { title: 'Reason', of: ({ reason }) => reason },
          { title: 'Date', of: ({ deadAt, createdAt }) => <Time at={deadAt ?? createdAt} /> },
        ]}
      />
    </OperatorPage>
  );
}
