import { unprocessable } from '@botyard/shared/http/errors';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { PublishedContent, PublishedSummary } from '../../store/definitions-schema.ts';
import { hostsOf } from './tool-settings.ts';

/** Limits of one publication, which keep pages of them small and copies cheap. */
const maxBytes = 512 * 1024;
const maxHosts = 100;

/**
 * The parts of a definition that other tenants may copy. Documents and servers are left out: their identifiers mean
 * nothing elsewhere.
 * @throws HttpError 422 with the part that must not, or can't, be published.
 */
export function publishable(content: PublishedContent): PublishedContent {
  const secrets = textsOf(content).filter(([, text]) => looksSecret(text));
  if (secrets.length > 0) {
    const issues = secrets
      .slice(0, 50)
      .map(([path]) => ({ path, message: 'seems to contain a key or a token: remove it' }));
    throw unprocessable('the definition seems to contain a key or a token, which must not be published', {
      issues,
    });
  }
  if (summaryOf(content).hosts.length > maxHosts)
    throw unprocessable(`its tools read from more than ${maxHosts} hosts, which is too many to publish it`);
  const { agent, capabilities, tools } = content;
  const published = {
    agent: agent && withoutServers(agent),
    capabilities,
    tools: tools.map((tool) => ({ ...tool, settings: withoutDocuments(tool.settings) })),
  };
  if (Buffer.byteLength(JSON.stringify(published)) > maxBytes)
    throw unprocessable(`it is larger than ${maxBytes / 1024} KiB, which is too large to publish it`);
  return published;
}

/** A publication without its texts. */
export function summaryOf({ agent, capabilities, tools }: PublishedContent): PublishedSummary {
  return {
    runsOn: agent && { provider: agent.provider, model: agent.model },
    capabilities: agent ? capabilities.map(({ name }) => name) : [],
    tools: tools.map(({ name, kind }) => ({ name, kind })),
    hosts: [...new Set(tools.flatMap(({ settings }) => hostsOf(settings)))],
  };
}

/** Also removes the account that a tool uses. */
const withoutDocuments = ({ sourceIds: _atHome, connectionId: _own, ...settings }: Record<string, unknown>) =>
  settings;

const withoutServers = ({ serverIds: _atHome, ...agent }: NonNullable<PublishedContent['agent']>) => agent;

/** Every text that people wrote, with its path. */
function textsOf({ agent, capabilities, tools }: PublishedContent): [path: string, text: string][] {
  const named = (path: string, one: { name: string; description: string; instructions?: string }) =>
    [
      [`${path}name`, one.name],
      [`${path}description`, one.description],
      [`${path}instructions`, one.instructions ?? ''],
    ] as [string, string][];
  return [
    ...(agent ? [...named('', agent), ['model', agent.model] as [string, string]] : []),
    ...capabilities.flatMap((one, index) => named(`capabilities.${index}.`, one)),
    ...tools.flatMap((one, index) => named(`tools.${index}.`, one)),
    ...[agent, ...capabilities].flatMap((one) =>
      (one?.keywords ?? []).map((word): [string, string] => ['keywords', word]),
    ),
  ];
}

/** A word with a digit that the log would redact. Words like `key-account` are ordinary language. */
const looksSecret = (text: string): boolean =>
  text.split(/\s+/).some((word) => /\d/.test(word) && withoutSecrets(word) !== word);
