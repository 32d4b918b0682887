import type { Schema } from '@botyard/client/client';
import { useEffect, useState } from 'react';
import { api } from '../api/api.ts';
import { Popup } from '../parts/popup.tsx';
import { SaveFile } from '../parts/save-file.tsx';
import { sizeOf } from '../parts/text.tsx';

type Attached = Schema<'MessageAttachment'>;

/** Media types that are shown inline. Files of all other types can only be downloaded. */
const pictures: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const maxBytesShown = 4 * 1024 * 1024;

const reasons = {
  too_large: 'too large to store',
  unavailable: 'not provided by the platform',
  storage_full: 'storage is full',
  expired: 'expired',
} as const;

/** A message's attachment. A stored picture is shown; any stored file can be downloaded. */
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
        {file?.state === 'waiting' && ' · downloading'}
        {file?.state === 'missing' && ` · ${reasons[file.reason ?? 'unavailable']}`}
      </p>
      {isShown && (
        <Picture
          messageId={messageId}
          name={file.name ?? name ?? kind}
          label={`${kind} attached to the message`}
        />
      )}
      {file?.state === 'kept' && (
        <SaveFile name={file.name ?? kind} read={() => fetchFile(messageId)}>
          Download
        </SaveFile>
      )}
    </div>
  );
}

interface PictureProps {
  messageId: string;
  name: string;
  label: string;
}

/**
 * A picture, which opens large in a dialog. It is fetched with the caller's credentials, because its address alone
 * doesn't grant access.
 */
function Picture({ messageId, name, label }: PictureProps) {
  const [address, setAddress] = useState<string>();
  const [isLarge, enlarge] = useState(false);
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
  if (!address) return null;
  return (
    <>
      <button type="button" className="max-w-full cursor-zoom-in" onClick={() => enlarge(true)}>
        <img src={address} alt={label} className="max-h-64 max-w-full rounded" />
        <span className="sr-only">Show it large</span>
      </button>
      <Popup isWide title={name} isOpen={isLarge} onOpen={enlarge}>
        <img
          src={address}
          alt={label}
          className="max-h-[80vh] max-w-full justify-self-center object-contain"
        />
      </Popup>
    </>
  );
}

const fetchFile = async (messageId: string): Promise<Blob> =>
  (await api.get('/api/interactions/messages/{messageId}/attachment', {
    params: { path: { messageId } },
    parseAs: 'blob',
  })) as unknown as Blob;

/** Converts a file to a data URL, because the content policy allows only the page's own and data URLs. */
function toAddress(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
