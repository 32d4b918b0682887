import { useContext, useState } from 'react';
import { useAnswer, useList } from '../api/use-answer.ts';
import { useExternalTools } from '../api/use-config.ts';
import { Choose, Field } from '../parts/controls.tsx';
import { FormError } from '../parts/field-notes.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Fault, Loaded, SwitchedOff } from '../parts/states.tsx';
import { namesIn, type Part, PartPicker } from './part-picker.tsx';
import type { ToolKind } from './tool-kinds.ts';
import { serverIdOf, serversPath, toolkitOf } from './tool-servers/server-words.ts';
import { useServers } from './tool-servers/use-servers.ts';

type Settings = Readonly<Record<string, unknown>>;
interface SettingsProps {
  settings: Settings;
}

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The form fields for the settings of one kind of tool. `settingsOf` reads them. */
export function ToolSettings({ kind, ...rest }: SettingsProps & { kind: ToolKind }) {
  const hasExternalTools = useExternalTools();
  if (kind === 'current_time') return <TimeZone {...rest} />;
  if (kind === 'http_get') return <Hosts {...rest} />;
  if (kind === 'search_context') return <Documents {...rest} />;
  if (kind === 'external')
    return hasExternalTools ? <External {...rest} /> : <SwitchedOff what="External tools" />;
  return <p className="text-sm text-soft">This kind of tool has no settings.</p>;
}

/** Returns the settings for the API. Settings in `kept` that the form doesn't show are preserved. */
export function settingsOf(kind: ToolKind, fields: Record<string, string>, kept: Settings): Settings {
  const { timeZone, hosts = '', limit, toolkit, tool, connectionId } = fields;
  if (kind === 'current_time') return timeZone ? { timeZone } : {};
  if (kind === 'http_get') return { hosts: hosts.split(/[\s,]+/).filter((host) => host !== '') };
  if (kind === 'search_context') {
    const sourceIds = namesIn(fields, 'document');
    return { ...(sourceIds.length > 0 ? { sourceIds } : {}), ...(limit ? { limit: Number(limit) } : {}) };
  }
  if (kind !== 'external') return {};
  const isSame = toolkit === kept.toolkit && tool === kept.tool;
  return {
    toolkit,
    tool,
    ...(connectionId ? { connectionId } : {}),
    ...(isSame && kept.parameters ? { parameters: kept.parameters } : {}),
  };
}

const TimeZone = ({ settings }: SettingsProps) => (
  <Field
    label="Time zone"
    name="timeZone"
    hint="For example Europe/Berlin. Defaults to UTC."
    defaultValue={textOf(settings.timeZone)}
    at={['settings', 'timeZone']}
  />
);

const Hosts = ({ settings }: SettingsProps) => (
  <Field
    label="Hosts"
    name="hosts"
    isRequired
    hint="The hosts whose pages the tool may read, separated by commas. For example docs.example.com"
    defaultValue={textsOf(settings.hosts).join(', ')}
    at={['settings', 'hosts']}
  />
);

function Documents({ settings }: SettingsProps) {
  const sources = useList('/api/context-sources', { query: { limit: 500 } });
  const parts = sources.data?.map(
    ({ sourceId, title, type, status, lastError }): Part => ({
      id: sourceId,
      name: title,
      description: type,
      problem: status === 'ready' ? null : (lastError ?? 'the document has not been processed yet'),
    }),
  );
  return (
    <>
      <PartPicker
        title="Documents"
        what="document"
        field={['settings', 'sourceIds']}
        most={100}
        none="Searches all documents of the tenant."
        chosen={textsOf(settings.sourceIds)}
        parts={{ ...sources, data: parts }}
      />
      <Field
        label="Maximum passages"
        name="limit"
        hint="1 to 10. Defaults to 5."
        defaultValue={textOf(settings.limit)}
        at={['settings', 'limit']}
      />
    </>
  );
}

type Option = readonly [value: string, label: string];

/** Keeps the current choice among the options even if it is no longer offered. */
const withChosen = (options: readonly Option[], chosen: string): readonly Option[] =>
  chosen === '' || options.some(([value]) => value === chosen) ? options : [[chosen, chosen], ...options];

function External({ settings }: SettingsProps) {
  const [toolkit, choose] = useState(textOf(settings.toolkit));
  const toolkits = useAnswer('/api/integrations/toolkits');
  const servers = useServers();
  const options = [
    ...(servers.data ?? []).map((server) => [toolkitOf(server), server.name] as const),
    ...(toolkits.data ?? []).map(({ name, title }) => [name, title] as const),
  ];
  const serverId = serverIdOf(toolkit);
  const issue = issueAt(useContext(FormError), 'settings', 'toolkit');
  return (
    <>
      {toolkits.error && <Fault error={toolkits.error} retry={() => void toolkits.refetch()} />}
      <Choose
        label="Service"
        value={toolkit}
        options={[['', 'Choose a service'], ...withChosen(options, toolkit)]}
        onChoose={(value) => choose(value ?? '')}
      />
      {issue && <p className="text-sm text-bad">{issue}</p>}
      <input type="hidden" name="toolkit" value={toolkit} />
      {serverId !== undefined && servers.data && (
        <ToolOfServer key={toolkit} serverId={serverId} settings={settings} />
      )}
      {serverId === undefined && toolkit !== '' && (
        <ToolOf key={toolkit} toolkit={toolkit} settings={settings} />
      )}
    </>
  );
}

/** The tools of a server that an admin has allowed. */
function ToolOfServer({ serverId, settings }: SettingsProps & { serverId: string }) {
  const listed = useAnswer(`${serversPath}/{serverId}/tools`, { path: { serverId } });
  const tool = serverId === serverIdOf(settings.toolkit) ? textOf(settings.tool) : '';
  return (
    <Loaded answer={listed}>
      {(tools) => (
        <Field
          label="Tool"
          name="tool"
          hint="Tools appear here once they are allowed on the page of their server."
          options={withChosen(
            tools.filter(({ isAllowed }) => isAllowed).map(({ name, title }) => [name, title ?? name]),
            tool,
          )}
          defaultValue={tool}
          at={['settings', 'tool']}
        />
      )}
    </Loaded>
  );
}

function ToolOf({ toolkit, settings }: SettingsProps & { toolkit: string }) {
  const detail = useAnswer('/api/integrations/toolkits/{name}', { path: { name: toolkit } });
  const isKept = toolkit === settings.toolkit;
  const tool = isKept ? textOf(settings.tool) : '';
  const connectionId = isKept ? textOf(settings.connectionId) : '';
  return (
    <Loaded answer={detail}>
      {({ tools, connections }) => (
        <>
          <Field
            label="Tool"
            name="tool"
            options={withChosen(
              tools.map((one) => [one.tool, one.onlyReads ? one.title : `${one.title} (makes changes)`]),
              tool,
            )}
            defaultValue={tool}
            at={['settings', 'tool']}
          />
          <Field
            label="Account"
            name="connectionId"
            options={[
              ['', 'Most recently connected'],
              ...withChosen(
                connections.map((one) => [
                  one.connectionId,
                  `Connected on ${new Date(one.createdAt).toLocaleDateString()}`,
                ]),
                connectionId,
              ),
            ]}
            defaultValue={connectionId}
            at={['settings', 'connectionId']}
          />
        </>
      )}
    </Loaded>
  );
}
