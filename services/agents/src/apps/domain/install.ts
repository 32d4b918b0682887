import { AppSpec } from '@botyard/contracts/http/app-spec';
import { CreateBindingBody, type InstallAppBody } from '@botyard/contracts/http/apps-admin';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { changing } from '../../definitions/domain/changing.ts';
import {
  bringCapabilities,
  bringTools,
  type Destination,
  type NewIds,
  translated,
} from '../../definitions/domain/copying-parts.ts';
import { keepVersion } from '../../definitions/domain/keep-version.ts';
import { requireRoom } from '../../definitions/domain/references.ts';
import { settingsOf } from '../../definitions/domain/tool-settings.ts';
import { insertDefinitions } from '../../definitions/store/definitions.ts';
import type { Deps } from '../deps.ts';
import { updateDraft } from '../store/apps.ts';
import { addBinding, requireNamedBot } from './binding.ts';
import { addApp, type DescribedApp, describeApp } from './managing.ts';
import { release } from './publishing.ts';
import { requireTemplate } from './templates/catalogue.ts';
import type { Template } from './templates/template.ts';

/**
 * Creates everything in a template, and a running app that uses it, bound to a bot if one is given. Either all of it is
 * created, or nothing.
 * @throws HttpError 404 for the template, 400 for the bot, 409 when the tenant has no room for it.
 */
export async function installApp(
  deps: Deps,
  { tenantId, by }: { tenantId: string; by: string },
  body: InstallAppBody,
): Promise<DescribedApp> {
  const template = requireTemplate(body.templateId);
  const { botId } = body;
  if (botId) await requireNamedBot(deps, tenantId, botId);
  return await changing(deps, tenantId, async (tx) => {
    const spec = await makeParts({ tx, tenantId, origin: null }, template, { ...body, by });
    const { description, templateId } = template;
    const app = await addApp(tx, tenantId, { name: body.name ?? template.name, description, templateId });
    const key = { tenantId, appId: app.appId };
    await updateDraft(tx, key, JSON.stringify(spec));
    await release(tx, app, { spec, origin: 'install' });
    if (botId) await addBinding(tx, key, CreateBindingBody.parse({ botId }));
    return await describeApp(tx, key);
  });
}

/** Creates the definitions of a template, and its spec with their identifiers. */
async function makeParts(
  to: Destination,
  template: Template,
  given: ModelOfAgents & { by: string },
): Promise<AppSpec> {
  const tools = template.tools.map(({ key, settings, ...tool }) => ({
    ...tool,
    id: key,
    settings: settingsOf(tool.kind, settings),
  }));
  const newToolIds = await bringTools(to, tools, { isShared: true });
  const capabilities = template.capabilities.map(({ key, tools: toolIds, ...one }) => ({
    ...one,
    id: key,
    toolIds,
  }));
  const newCapabilityIds = await bringCapabilities(to, capabilities, { isShared: true, newToolIds });
  const agentIds = await makeAgents(to.tx, { tenantId: to.tenantId, template, newToolIds, ...given });
  return AppSpec.parse({
    ...template.spec,
    agents: template.spec.agents.map((agent) => ({ ...agent, agentId: agentIds.get(agent.key) })),
    capabilities: [...newCapabilityIds].map(([key, capabilityId]) => ({ key, capabilityId })),
  });
}

type ModelOfAgents = Pick<InstallAppBody, 'provider' | 'model'>;

interface AgentsToMake extends ModelOfAgents {
  tenantId: string;
  template: Template;
  newToolIds: NewIds;
  by: string;
}

/** Always creates new agents, so that each installation can be changed without affecting another. */
async function makeAgents(
  tx: TenantTx,
  { tenantId, template, provider, model, newToolIds, by }: AgentsToMake,
): Promise<NewIds> {
  await requireRoom(tx, tenantId, { kind: 'agent', more: template.agents.length });
  const made = template.agents.map(({ key, tools, ...agent }) => ({
    key,
    row: {
      ...agent,
      tenantId,
      id: uuidv7(),
      provider,
      model,
      toolIds: translated(tools, newToolIds),
      capabilityIds: [],
    },
  }));
  const rows = await insertDefinitions(
    tx,
    'agent',
    made.map(({ row }) => row),
  );
  for (const after of rows) await keepVersion(tx, 'agent', { after, by });
  return new Map(made.map(({ key, row }) => [key, row.id]));
}
