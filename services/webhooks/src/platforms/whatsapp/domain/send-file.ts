import { openOutboundFile } from '../../../media/domain/outbound-file.ts';
import { unseen } from '../../domain/sending.ts';
import type { FileContent, FilesOut, Send, SendResult } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { accessOf } from './access.ts';
import { findAddress, resultOf, type SendDeps } from './send-message.ts';

const megabyte = 1024 * 1024;

type Kind = 'image' | 'video' | 'audio' | 'document';

/** The types that the platform takes, each with its kind of message. */
const kinds: Readonly<Record<string, Kind>> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'video/mp4': 'video',
  'video/3gpp': 'video',
  'audio/aac': 'audio',
  'audio/amr': 'audio',
  'audio/mp4': 'audio',
  'audio/mpeg': 'audio',
  'audio/ogg': 'audio',
  'application/pdf': 'document',
  'application/msword': 'document',
  'application/vnd.ms-excel': 'document',
  'application/vnd.ms-powerpoint': 'document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'document',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'document',
  'text/plain': 'document',
};
const caps: Readonly<Record<Kind, number>> = {
  image: 5 * megabyte,
  video: 16 * megabyte,
  audio: 16 * megabyte,
  document: 100 * megabyte,
};

/** The detected type of some files says more than the platform knows. */
const shortType = (mediaType: string): string =>
  mediaType.startsWith('audio/ogg') ? 'audio/ogg' : mediaType;
const kindOf = (mediaType: string): Kind | undefined =>
  Object.hasOwn(kinds, shortType(mediaType)) ? kinds[shortType(mediaType)] : undefined;

type FilesDeps = SendDeps & Pick<Deps, 'objects'>;

export const createFilesOut = (deps: FilesDeps): FilesOut => ({
  maxBytesOf: (mediaType) => {
    const kind = kindOf(mediaType);
    return kind && caps[kind];
  },
  send: (send) => sendFile(deps, send),
});

/** Uploads the file, and sends a message with its identifier. */
async function sendFile(deps: FilesDeps, send: Send<FileContent>): Promise<SendResult | undefined> {
  const { file } = send.payload;
  const kind = kindOf(file.mediaType);
  if (!kind) return { outcome: 'refused', reason: `WhatsApp takes no files of the type ${file.mediaType}` };
  const address = await findAddress(deps, send, { needsWindow: true });
  if ('outcome' in address) return address;
  const opened = await openOutboundFile(deps, file);
  if ('outcome' in opened) return opened;
  if (!(await send.mayCall())) {
    opened.content.destroy();
    return undefined;
  }
  const { endpoint, addressee } = address;
  const { phoneNumberId } = endpoint;
  const toUpload = { ...file, mediaType: shortType(file.mediaType), content: opened.content };
  const uploaded = await deps.graph.uploadMedia(accessOf(endpoint), phoneNumberId, toUpload, send.signal);
  if (uploaded.outcome !== 'ok') return unseen(resultOf(uploaded, send));
  if (!(await send.mayCall())) return undefined;
  const { mediaId: id } = uploaded.result;
  const content = kind === 'document' ? { id, filename: file.name } : { id };
  const message = { ...addressee, type: kind, [kind]: content };
  const answer = await deps.graph.sendMessage(accessOf(endpoint), phoneNumberId, message, send.signal);
  return resultOf(answer, send);
}
