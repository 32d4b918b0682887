import type { MessageRow } from '../../conversations/store/messages.ts';
import { takesPictures } from '../../models/domain/capabilities.ts';
import type { StoredAttachment } from '../../store/stored-attachment.ts';
import type { Deps } from '../deps.ts';
import { readObject } from './read-object.ts';

/** A picture for a model. */
export interface Picture {
  messageId: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** Types that all providers accept. Pictures are never decoded here. */
const types: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
/** Encoded in base64, it has to stay below the strictest provider's limit. */
const maxBytesOfPicture = 3.5 * 1024 * 1024;
export const maxBytesOfAll = 8 * 1024 * 1024;
export const maxPictures = 4;

/** Whether the attachment can be shown to a model that accepts pictures. */
export const isPicture = (attachment: Pick<StoredAttachment, 'read'> | null | undefined): boolean => {
  const { state, mediaType = '', sizeBytes = 0 } = attachment?.read ?? {};
  return state === 'kept' && types.has(mediaType) && sizeBytes <= maxBytesOfPicture;
};

/**
 * The pictures of a turn for a model that accepts any: the first few, within the byte limit of one question. Pictures
 * that the object store doesn't return are left out.
 */
export async function loadPictures(
  deps: Pick<Deps, 'objects' | 'log'>,
  agent: Parameters<typeof takesPictures>[0],
  turn: readonly Pick<MessageRow, 'messageId' | 'attachment'>[],
): Promise<Picture[]> {
  if (!takesPictures(agent)) return [];
  const pictures: Picture[] = [];
  let left = maxBytesOfAll;
  for (const { messageId, attachment } of turn
    .filter((row) => isPicture(row.attachment))
    .slice(0, maxPictures)) {
    const { mediaType = '', sizeBytes = 0, objectKey } = attachment?.read ?? {};
    if (objectKey === undefined || sizeBytes > left) continue;
    const bytes = await readObject(deps, objectKey);
    if (!bytes) continue;
    pictures.push({ messageId, mediaType, bytes });
    left -= sizeBytes;
  }
  return pictures;
}
