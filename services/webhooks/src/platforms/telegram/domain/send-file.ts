import { openOutboundFile } from '../../../media/domain/outbound-file.ts';
import { findForSend } from '../../domain/sending.ts';
import type { FileContent, FilesOut, Send, SendResult } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { connector } from './connection.ts';
import { losesTopic, receiverOf, resultOf, type SendDeps } from './send-message.ts';

const megabyte = 1024 * 1024;
/** Larger pictures are sent as files. */
const maxPhotoBytes = 10 * megabyte;
const photoTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);

type FilesDeps = SendDeps & Pick<Deps, 'objects'>;

export const createFilesOut = (deps: FilesDeps): FilesOut => ({
  maxBytesOf: () => 50 * megabyte,
  send: (send) => sendFile(deps, send),
});

/**
 * Sends a file: as a picture if it is one, and as a file if the platform can't show the picture; to the chat's new id
 * if the platform names one; outside a topic that no longer exists. Each change is made once.
 */
async function sendFile(deps: FilesDeps, send: Send<FileContent>): Promise<SendResult | undefined> {
  const { file } = send.payload;
  const endpoint = await findForSend(deps.log, send.botId, () => deps.endpoints.find(connector, send.botId));
  if ('outcome' in endpoint) return endpoint;
  const { platformChatId, threadId } = send;
  const receiver = receiverOf(send);
  const isPhoto = photoTypes.has(file.mediaType) && file.sizeBytes <= maxPhotoBytes;
  let place = { platformChatId, threadId, receiver, isPhoto };
  for (;;) {
    const opened = await openOutboundFile(deps, file);
    if ('outcome' in opened) return opened;
    if (!(await send.mayCall())) {
      opened.content.destroy();
      return undefined;
    }
    const posted = { ...place, file: { ...file, content: opened.content } };
    const answer = await deps.messenger.sendFile(endpoint.botToken, posted, send.signal);
    const change = answer.outcome === 'refused' ? changeAfter(answer, place, endpoint.lostTopic) : undefined;
    const movedTo = place.platformChatId === platformChatId ? undefined : place.platformChatId;
    if (!change) return { ...resultOf(answer, place), movedTo };
    place = { ...place, ...change };
  }
}

type Place = { platformChatId: string; threadId: string | null; isPhoto: boolean };

/** The platform's reasons for a picture that it can't show, such as one that is too wide. */
const refusesPhoto = /PHOTO_|IMAGE_PROCESS_FAILED|wrong (?:type|file)|too big for a photo/i;

function changeAfter(
  { migrateToChatId, reason }: { migrateToChatId?: string | undefined; reason: string },
  { platformChatId, threadId, isPhoto }: Place,
  lostTopic: 'general' | 'none',
): Partial<Place> | undefined {
  if (migrateToChatId !== undefined && migrateToChatId !== platformChatId)
    return { platformChatId: migrateToChatId };
  if (isPhoto && refusesPhoto.test(reason)) return { isPhoto: false };
  const isGroup = platformChatId.startsWith('-');
  if (threadId !== null && losesTopic.test(reason) && !(isGroup && lostTopic === 'none'))
    return { threadId: null };
  return undefined;
}
