import type { Schema } from '@botyard/client/client';
import { useMayChange } from '../api/acting.tsx';
import { useList } from '../api/use-answer.ts';
import { Button, Panel, State } from '../parts/controls.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { useDocumentSearch } from './use-document-search.ts';

type Agent = Schema<'AgentDefinition'>;

const maxShown = 8;

/** The agents, each with whether it searches the documents. One click lets another one do so. */
export function SearchingAgents() {
  const agents = useList('/api/definitions/agents', { query: { limit: 500 } });
  const search = useDocumentSearch();
  const mayChange = useMayChange();
  const give = (agent: Agent) => void search.giveTo(agent).catch(() => undefined);
  return (
    <Panel title="Agents that search these documents">
      {search.error && <Fault error={search.error} />}
      <Loaded answer={agents}>
        {(all) => {
          // An agent without knowledge is the one that needs a click.
          const sorted = [...all].sort(
            (one, other) => Number(search.isSearching(one)) - Number(search.isSearching(other)),
          );
          return (
            <>
              {all.length === 0 && <p className="text-soft">There is no agent yet.</p>}
              <ul className="grid gap-2">
                {search.isReady &&
                  sorted.slice(0, maxShown).map((agent) => (
                    <li
                      key={agent.id}
                      className="flex min-h-9 flex-wrap items-center justify-between gap-x-3"
                    >
                      <TextLink
                        to="/agents/$agentId"
                        params={{ agentId: agent.id }}
                        dir="auto"
                        className="min-w-0 break-words"
                      >
                        {agent.name}
                      </TextLink>
                      {search.isSearching(agent) ? (
                        <State word="searches" />
                      ) : (
                        mayChange && (
                          <Button
                            aria-label={`Let it search them: ${agent.name}`}
                            disabled={search.isBusy}
                            onClick={() => give(agent)}
                          >
                            Let it search them
                          </Button>
                        )
                      )}
                    </li>
                  ))}
              </ul>
              {all.length > maxShown && (
                <p className="mt-3 text-sm text-soft">
                  {all.length - maxShown} more. Their pages have their tools.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
