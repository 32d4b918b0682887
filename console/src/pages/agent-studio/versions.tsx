import type { Schema } from '@botyard/client/client';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { postAction, useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Button, Panel, State } from '../../parts/controls.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Fault, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import { Changes, titleOf } from './changes.tsx';
import { changesOfParts, PartChanges } from './part-changes.tsx';
import { useReleases } from './releases/use-releases.ts';

type Version = Schema<'AgentDefinitionVersion'>;

/** The agent's versions with their changes, from the one in the address on. Any version can be restored. */
export function Versions({ agentId }: { agentId: string }) {
  const { version: linked } = useSearch({ strict: false });
  const versions = useList('/api/definitions/agents/{id}/versions', {
    path: { id: agentId },
    query: { until: linked },
  });
  const { running } = useReleases(agentId);
  const restore = useAction();
  const ask = (version: number) =>
    window.confirm(
      `Roll back to version ${version}? This creates a new version, with the tools and capabilities of version ${version}.`,
    ) &&
    restore.mutate(
      postAction(
        `Rolled back to version ${version}`,
        '/api/definitions/agents/{id}/versions/{version}/restore',
        { names: { id: agentId, version: String(version) } },
      ),
    );
  return (
    <Panel title="Versions">
      {linked && (
        <p className="text-sm">
          <Link to="." search={(now) => ({ ...now, version: undefined })} className="underline">
            Show the newest versions
          </Link>
        </p>
      )}
      {restore.error && <Fault error={restore.error} />}
      <Loaded answer={versions}>
        {(list) => (
          <ol className="grid gap-3">
            {list.map((version, index) => (
              <li
                key={version.version}
                ref={version.version === linked ? scrollTo : undefined}
                className="grid gap-1"
                aria-label={`Version ${version.version}`}
              >
                <div className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">Version {version.version}</span>
                  <Time at={version.createdAt} />
                  {version.restoredFrom && (
                    <span className="text-soft">restored from version {version.restoredFrom}</span>
                  )}
                  {version.version === running?.version && <State word="candidate" />}
                  {version.isCurrent ? (
                    <State word="live" />
                  ) : (
                    <Button disabled={restore.isPending} onClick={() => ask(version.version)}>
                      Roll back
                    </Button>
                  )}
                </div>
                {version.note && (
                  <p dir="auto" className="break-words">
                    {version.note}
                  </p>
                )}
                {!version.parts && !version.isCurrent && (
                  <p className="text-sm text-soft">
                    Its tools and capabilities were not kept. Rolling back uses them as they are now.
                  </p>
                )}
                <Difference
                  version={version}
                  before={list[index + 1]}
                  isOpenAtFirst={version.version === linked}
                />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <ShowMore list={versions}>Show older versions</ShowMore>
    </Panel>
  );
}

const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'center' });

interface DifferenceProps {
  version: Version;
  before: Version | undefined;
  isOpenAtFirst: boolean;
}

function Difference({ version, before, isOpenAtFirst }: DifferenceProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { changed, definition, parts } = version;
  const partChanges = parts && before?.parts ? changesOfParts(before.parts, parts) : [];
  const titles = [...changed.map(titleOf), ...partChanges.map(({ title }) => title)];
  if (titles.length === 0) return null;
  const allParts = [before?.parts, parts].flatMap((one) => [
    ...(one?.tools ?? []),
    ...(one?.capabilities ?? []),
  ]);
  return (
    <details className="text-sm" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="break-words">Changed: {titles.join(', ')}</summary>
      {isOpen && (
        <div className="mt-2 grid gap-4">
          <Changes changed={changed} before={before?.definition} after={definition} parts={allParts} />
          <PartChanges changes={partChanges} />
        </div>
      )}
    </details>
  );
}
