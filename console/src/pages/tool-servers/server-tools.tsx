import { useSearch } from '@tanstack/react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { Button, State } from '../../parts/controls.tsx';
import { SearchChoice, SearchForm } from '../../parts/search-form.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { useChangeSearch } from '../../parts/use-change-search.ts';
import { ReviewTool } from './review-tool.tsx';
import { type ServerTool, serversPath, type ToolServer, toolStateMeanings } from './server-words.ts';

const states = Object.keys(toolStateMeanings) as ServerTool['state'][];
/** Tools that wait for a decision stand first. */
const rank = ({ state }: ServerTool): number => ['changed', 'new', 'allowed', 'refused'].indexOf(state);

/** The tools that a server lists, each with its state and the decision about it. */
export function ServerTools({ server }: { server: ToolServer }) {
  const { q = '', state, tool: opened } = useSearch({ strict: false });
  const change = useChangeSearch({ replace: true });
  const tools = useAnswer(`${serversPath}/{serverId}/tools`, { path: { serverId: server.serverId } });
  const searched = q.toLowerCase();
  const fits = (tool: ServerTool) =>
    (state === undefined || tool.state === state) &&
    [tool.name, tool.title, tool.description].some((text) => text?.toLowerCase().includes(searched));
  const shown = tools.data?.filter(fits).sort((one, other) => rank(one) - rank(other));
  return (
    <section aria-label="Tools of the server" className="grid gap-3">
      <h2 className="text-lg font-semibold">Tools</h2>
      <Loaded answer={tools}>
        {(all) =>
          all.length > 0 && (
            <div className="grid max-w-2xl items-start gap-4 sm:grid-cols-2">
              <SearchForm hint="Names and descriptions." replace />
              <SearchChoice
                label="State"
                name="state"
                options={[['', `All (${all.length})`], ...states.map((one) => optionOf(one, all))]}
                replace
              />
            </div>
          )
        }
      </Loaded>
      {tools.data && (
        <Table
          label="Tools of the server"
          list={{ ...tools, data: shown }}
          keyOf={({ name }) => name}
          empty={
            tools.data.length > 0 ? (
              <Empty title="No matching tools.">Change the search or the state.</Empty>
            ) : (
              <Empty title="No tools.">{whyNone(server)}</Empty>
            )
          }
          columns={[
            { title: 'Tool', of: (tool) => <Named tool={tool} /> },
            { title: 'State', of: (tool) => <State word={tool.state} /> },
            { title: 'Decision', of: decisionOf },
            {
              title: 'Actions',
              of: ({ name, state: now }) => (
                <Button onClick={() => change({ tool: name })} aria-label={`Review ${name}`}>
                  {now === 'allowed' || now === 'refused' ? 'Open' : 'Review'}
                </Button>
              ),
            },
          ]}
        />
      )}
      <ReviewTool
        server={server}
        tool={tools.data?.find(({ name }) => name === opened)}
        onClose={() => change({ tool: undefined })}
      />
    </section>
  );
}

const optionOf = (state: ServerTool['state'], all: readonly ServerTool[]) =>
  [state, `${state} (${all.filter((tool) => tool.state === state).length})`] as const;

function Named({ tool: { name, title, description } }: { tool: ServerTool }) {
  return (
    <div className="grid gap-0.5">
      <bdi className="font-mono text-xs font-semibold break-all">{name}</bdi>
      {title && <bdi>{title}</bdi>}
      {description && <bdi className="line-clamp-2 text-soft">{description}</bdi>}
    </div>
  );
}

function decisionOf({ state, readsOnly, repeatable, refusal }: ServerTool): string {
  if (state === 'refused') return refusal ?? '';
  if (state !== 'allowed') return 'off';
  return `${readsOnly ? 'only reads' : 'needs an approval'}${repeatable ? ', may be repeated' : ''}`;
}

function whyNone({ state }: ToolServer): string {
  if (state === 'ready') return 'The server lists no tools.';
  if (state === 'unchecked') return 'Read its tools to see them.';
  return 'They could not be read: see the reason above.';
}
