import { useNavigate, useSearch } from '@tanstack/react-router';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { AgentSections } from './agent-sections.tsx';

const places = { agent: 'agents', capability: 'capabilities', tool: 'tools' } as const;

export function Marketplace() {
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const items = useList('/api/definitions/marketplace', { query: { query: q } });
  return (
    <Page title="Agents" about="What tenants have published: a copy is your own." answers={[items]}>
      <AgentSections />
      <Form
        onSend={({ query }) =>
          void navigate({ to: '.', search: (now) => ({ ...now, q: query || undefined }), replace: true })
        }
      >
        <Field label="Search" name="query" defaultValue={q ?? ''} hint="Enter shows what fits." />
      </Form>
      <Table
        label="Marketplace"
        list={items}
        keyOf={({ id }) => id}
        empty={<Empty title="Nothing is published.">An agent is published on its own page.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => <span className="font-medium">{name}</span> },
          { title: 'Kind', of: ({ kind }) => kind },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Runs on', of: ({ runsOn }) => (runsOn ? `${runsOn.provider} ${runsOn.model}` : '') },
          { title: 'May call', of: ({ hosts }) => hosts.join(', ') || 'nobody outside' },
          { title: 'Published', of: ({ publishedAt }) => <Time at={publishedAt} /> },
          {
            title: 'Copy',
            of: ({ id, kind, name, isOwn }) =>
              isOwn ? (
                <State word="your own" />
              ) : (
                <ActButton
                  action={{
                    what: `Copy ${name}`,
                    method: 'post',
                    path: `/api/definitions/${places[kind]}/{id}/copy`,
                    names: { id },
                  }}
                >
                  Copy
                </ActButton>
              ),
          },
        ]}
      />
    </Page>
  );
}
