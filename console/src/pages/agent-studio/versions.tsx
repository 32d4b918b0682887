import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Button, Panel, State } from '../../parts/controls.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Fault, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import { Changes, titleOf } from './changes.tsx';
import { changesOfParts, PartChanges } from './part-changes.tsx';

type Version = Schema<'AgentDefinitionVersion'>;

/** The agent's versions with their changes. Any version can be restored. */
export function Versions({ agentId }: { agentId: string }) {
  const versions = useList('/api/definitions/agents/{id}/versions', { path: { id: agentId } });
  const restore = useAction();
  const ask = (version: number) =>
    window.confirm(
      `Roll back to version ${version}? This creates a new version, with the tools and capabilities of version ${version}.`,
    ) &&
    restore.mutate({
      what: `Rolled back to version ${version}`,
      method: 'post',
      path: '/api/definitions/agents/{id}/versions/{version}/restore',
      names: { id: agentId, version: String(version) },
    });
  return (
    <Panel title="Versions">
      {restore.error && <Fault error={restore.error} />}
      <Loaded answer={versions}>
        {(list) => (
          <ol className="grid gap-3">
            {list.map((version, index) => (
              <li key={version.version} className="grid gap-1" aria-label={`Version ${version.version}`}>
                <div className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">Version {version.version}</span>
                  <Time at={version.createdAt} />
                  {version.restoredFrom && (
                    <span className="text-soft">restored from version {version.restoredFrom}</span>
                  )}
                  {version.isCurrent ? (
                    <State word="current" />
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
                <Difference version={version} before={list[index + 1]} />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <ShowMore list={versions}>Show older versions</ShowMore>
    </Panel>
  );
}

function Difference({ version, before }: { version: Version; before: Version | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const { changed, definition, parts } = version;
  const partChanges = parts && before?.parts ? changesOfParts(before.parts, parts) : [];
  const titles = [...changed.map(titleOf), ...partChanges.map(({ title }) => title)];
  if (titles.length === 0) return null;
  const allParts = [before?.parts, parts].flatMap((one) => [
    ...(one?.tools ?? []),
    ...(one?.capabilities ?? []),
  ]);
  return (
    <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
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
