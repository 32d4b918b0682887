import type { Readable } from 'node:stream';
import type { OutboundFile } from '@botyard/contracts/events/attachments';
import type { reserveFile as reserveRequest } from '@botyard/contracts/events/webhook-requests';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import { cleanFileName, mediaTypeOf } from '../../files/domain/media-type.ts';
import { retryingLockConflicts } from '../../files/domain/retrying-lock-conflicts.ts';
import { hasRoomFor } from '../../files/domain/storage.ts';
import { hoursOfReply, insertUnclaimed } from '../../files/store/attachments.ts';
import type { Platforms, SendResult } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { insertOutboundFile } from '../store/outbound-files.ts';

type Wanted = z.output<typeof reserveRequest.request>;
type Reserved = z.input<typeof reserveRequest.response>;

/**
 * Records a file that staff sends, so that it is removed if its message never comes. Refuses, in words for people, what
 * the platform doesn't take and what the tenant has no room for.
 */
export async function reserveFile(
  deps: Pick<Deps, 'database' | 'mailStorageBytes'> & { platforms: Platforms },
  { tenantId, botId, conversationId, platform, head, sizeBytes, sha256, ...sent }: Wanted,
): Promise<Reserved> {
  const name = cleanFileName(sent.name, 1);
  const mediaType = await mediaTypeOf(Buffer.from(head, 'base64'), name);
  const reason = reasonToRefuse(deps.platforms, { platform, mediaType, sizeBytes });
  if (reason !== undefined) return { outcome: 'refused', reason };
  const mediaId = uuidv7();
  const attachmentId = uuidv7();
  const file = { mediaId, name, mediaType, sizeBytes, objectKey: `${tenantId}/${mediaId}/${attachmentId}` };
  const { objectKey } = file;
  const row = { tenantId, mailId: mediaId, attachmentId, name, mediaType, sizeBytes, sha256, objectKey };
  const hasRoom = await retryingLockConflicts(deps.database, tenantId, async (tx) => {
    if (!(await hasRoomFor(deps, tx, { tenantId, bytes: sizeBytes }))) return false;
    await insertUnclaimed(tx, [{ ...row, isInline: false, missingReason: null }], hoursOfReply);
    await insertOutboundFile(tx, { tenantId, botId, conversationId, platform, mediaId, name });
    return true;
  });
  return hasRoom
    ? { outcome: 'reserved', file }
    : { outcome: 'refused', reason: 'there is no storage left for files' };
}

const megabyte = 1024 * 1024;

function reasonToRefuse(
  platforms: Platforms,
  { platform, mediaType, sizeBytes }: Pick<Wanted, 'platform' | 'sizeBytes'> & { mediaType: string },
): string | undefined {
  const { title } = platformDefinitions[platform];
  const { files } = platforms[platform];
  if (!files) return `${title} takes no files`;
  const maxBytes = files.maxBytesOf(mediaType);
  if (maxBytes === undefined) return `${title} takes no files of the type ${mediaType}`;
  if (sizeBytes <= maxBytes) return undefined;
  return `${title} takes files of the type ${mediaType} up to ${Math.floor(maxBytes / megabyte)} MB`;
}

/** The bytes of a file to be sent, or the outcome of its part without them. Never throws. */
export async function openOutboundFile(
  { objects, log }: Pick<Deps, 'objects' | 'log'>,
  { objectKey, mediaId }: OutboundFile,
): Promise<{ content: Readable } | SendResult> {
  try {
    const content = await objects.get(objectKey);
    return content ? { content } : { outcome: 'refused', reason: 'the file is no longer stored' };
  } catch (error) {
    log.warn({ err: error, mediaId }, 'could not read a file to be sent');
    return { outcome: 'waits', reason: 'the file could not be read', waitMs: outageWaitMs };
  }
}

const outageWaitMs = 1000;
