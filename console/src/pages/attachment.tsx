import type { Schema } from '@botyard/client/client';
import { useEffect, useState } from 'react';
import { api } from '../api/api.ts';
import { SaveFile } from '../parts/save-file.tsx';
import { sizeOf } from '../parts/text.tsx';

type Attached = Schema<'MessageAttachment'>;

/** Shown as they are; everything else is saved, whatever it is. */
const pictures: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const maxBytesShown = 4 * 1024 * 1024;

const reasons = {
  too_large: 'too large to be kept',
  unavailable: 'the platform did not give it',
  storage_full: 'no room for it',
  expired: 'no longer kept',
} as const;

/** A message's attachment: a kept picture is shown, any other file can be saved. */
export function Attachment({ messageId, attachment }: { messageId: string; attachment: Attached }) {
  const { kind, name, file } = attachment;
  const isShown =
    file?.state === 'kept' &&
    pictures.has(file.mediaType ?? '') &&
    (file.sizeBytes ?? Number.POSITIVE_INFINITY) <= maxBytesShown;
  return (
    <div className="grid justify-items-start gap-2 text-sm text-soft">
      <p className="break-words">
        {kind} {file?.name ?? name} {file?.sizeBytes !== undefined && sizeOf(file.sizeBytes)}
        {file?.state === 'waiting' && ' · on its way'}
        {file?.state === 'missing' && ` · ${reasons[file.reason ?? 'unavailable']}`}
      </p>
      {isShown && <Picture messageId={messageId} label={`${kind} that came with the message`} />}
      {file?.state === 'kept' && (
        <SaveFile name={file.name ?? kind} read={() => fetchFile(messageId)}>
          Save the file
        </SaveFile>
      )}
    </div>
  );
}

/** Fetched as the caller, so that nobody else's browser shows it. */
function Picture({ messageId, label }: { messageId: string; label: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    let isGone = false;
    void fetchFile(messageId)
      .then(toAddress)
      .then((read) => isGone || setAddress(read))
      .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [messageId]);
  return address ? <img src={address} alt={label} className="max-h-64 max-w-full rounded" /> : null;
}

const fetchFile = async (messageId: string): Promise<Blob> =>
  (await api.get('/api/interactions/messages/{messageId}/attachment', {
    params: { path: { messageId } },
    parseAs: 'blob',
  })) as unknown as Blob;

/** The page may show no other addresses than its own and these. */
function toAddress(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
