import { useSearch } from '@tanstack/react-router';
import { postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { State } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { AgentSections } from './agent-sections.tsx';

const places = { agent: 'agents', capability: 'capabilities', tool: 'tools' } as const;

export function Marketplace() {
  const { q } = useSearch({ strict: false });
  const items = useList('/api/definitions/marketplace', { query: { query: q } });
  return (
    <Page
      title="Agents"
      about="Agents, capabilities and tools that tenants have published. A copy belongs to your tenant."
      answers={[items]}
    >
      <AgentSections />
      <SearchForm hint="Press Enter to search." />
      <Table
        label="Marketplace"
        list={items}
        keyOf={({ id }) => id}
        empty={
          q ? (
            <Empty title="Nothing matches.">Try another search.</Empty>
          ) : (
            <Empty title="Nothing published yet.">Publish an agent from its page.</Empty>
          )
        }
        columns={[
          { title: 'Name', of: ({ name }) => <span className="font-medium">{name}</span> },
          { title: 'Kind', of: ({ kind }) => kind },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Runs on', of: ({ runsOn }) => (runsOn ? `${runsOn.provider} ${runsOn.model}` : '') },
          { title: 'Allowed hosts', of: ({ hosts }) => hosts.join(', ') || 'none' },
          { title: 'Published', of: ({ publishedAt }) => <Time at={publishedAt} /> },
          {
            title: 'Actions',
            of: ({ id, kind, name, isOwn }) =>
              isOwn ? (
                <State word="yours" />
              ) : (
                <ActButton
                  action={postAction(`${name} copied`, `/api/definitions/${places[kind]}/{id}/copy`, {
                    names: { id },
                  })}
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
