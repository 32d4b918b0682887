import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { PublishedContent } from '../../store/definitions-schema.ts';
import type { Deps } from '../deps.ts';
import { type DefinitionKey, type DefinitionRows, insertDefinitions } from '../store/definitions.ts';
import { findPublished, type Shown } from '../store/publications.ts';
import { changing } from './changing.ts';
import { contentOf } from './content.ts';
import { bringCapabilities, bringTools, type Destination, translated } from './copying-parts.ts';
import { requireDefinition, shown } from './definitions.ts';
import { keepVersion } from './keep-version.ts';
import { requireRoom } from './references.ts';

/**
 * Copies the published version of a definition into the tenant, with the tools and capabilities that it needs. The
 * tenant's own definition is copied in its current state, even if it isn't published. Either everything is copied, or
 * nothing.
 * @throws HttpError 404, 409 when the tenant has no room for it.
 */
export async function copyDefinition<Kind extends DefinitionKind>(
  deps: Deps,
  kind: Kind,
  { key, by }: { key: DefinitionKey; by: string },
): Promise<Shown<DefinitionRows[Kind]>> {
  const { tenantId, id } = key;
  const published = await withPlatform(deps.database, 'copy what a tenant has published', (tx) =>
    findPublished(tx, { kind, id }),
  );
  return await changing(deps, tenantId, async (tx) => {
    const { version, content } = published ?? (await ownDefinition(tx, kind, key));
    const to = { tx, tenantId, origin: { definitionId: id, version } };
    const copyId = await copiers[kind](to, content);
    const copy = await requireDefinition(tx, kind, { tenantId, id: copyId });
    await keepVersion(tx, kind, { after: copy, by });
    return await shown(tx, kind, copy);
  });
}

async function ownDefinition(tx: TenantTx, kind: DefinitionKind, key: DefinitionKey) {
  const row = await requireDefinition(tx, kind, key);
  return { version: row.version, content: await contentOf(tx, kind, row) };
}

/** Each copier adds the content to its destination and returns the identifier of the copy. */
const copiers: Readonly<
  Record<DefinitionKind, (to: Destination, content: PublishedContent) => Promise<string>>
> = {
  agent: async (to, { agent, capabilities, tools }) => {
    const { toolIds, capabilityIds, ...fields } = agent!;
    const newToolIds = await bringTools(to, tools, { isShared: true });
    const newCapabilityIds = await bringCapabilities(to, capabilities, { isShared: true, newToolIds });
    const { tx, tenantId, origin: copiedFrom } = to;
    await requireRoom(tx, tenantId, { kind: 'agent', more: 1 });
    const copy = {
      ...fields,
      tenantId,
      copiedFrom,
      id: uuidv7(),
      toolIds: translated(toolIds, newToolIds),
      capabilityIds: translated(capabilityIds, newCapabilityIds),
    };
    await insertDefinitions(tx, 'agent', [copy]);
    return copy.id;
  },
  capability: async (to, { capabilities, tools }) => {
    const newToolIds = await bringTools(to, tools, { isShared: true });
    const brought = await bringCapabilities(to, capabilities, { isShared: false, newToolIds });
    return [...brought.values()][0]!;
  },
  tool: async (to, { tools }) => [...(await bringTools(to, tools, { isShared: false })).values()][0]!,
};
