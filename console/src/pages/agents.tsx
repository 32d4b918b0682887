import { Link, useSearch } from '@tanstack/react-router';
import { useMayChange } from '../api/acting.tsx';
import { useList } from '../api/use-answer.ts';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { AgentSections } from './agent-sections.tsx';

export function Agents() {
  const { q } = useSearch({ strict: false });
  const agents = useList('/api/definitions/agents', { query: { q, sort: 'name' } });
  const mayChange = useMayChange();
  const create = mayChange && (
    <Link
      to="/agents/new"
      className="inline-flex min-h-8 items-center rounded-md bg-accent px-3 py-1 text-sm font-medium text-accent-ink"
    >
      New agent
    </Link>
  );
  return (
    <Page
      title="Agents"
      about="An agent answers messages. It follows its instructions and uses its model and tools."
      answers={[agents]}
      actions={create}
    >
      <AgentSections />
      <SearchForm hint="Searches names and descriptions." />
      <Table
        label="Agents"
        list={agents}
        keyOf={({ id }) => id}
        empty={
          q ? (
            <Empty title="No matching agents.">Try another search.</Empty>
          ) : (
            <Empty title="No agents yet.">Create an agent and describe in plain words what it does.</Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            of: ({ id, name }) => (
              <TextLink to="/agents/$agentId" params={{ agentId: id }} className="font-medium">
                {name}
              </TextLink>
            ),
          },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Model', of: ({ provider, model }) => `${provider} ${model}` },
          { title: 'Version', of: ({ version }) => version, isNumber: true },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
    </Page>
  );
}
