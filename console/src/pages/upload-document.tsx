import type { Schema } from '@botyard/client/client';
import { maxDocumentBytes } from '@botyard/contracts/document-limits';
import { useId, useRef, useState } from 'react';
import { postAction, useAction } from '../api/use-action.ts';
import { Button, Field, Label } from '../parts/controls.tsx';
import { SendingForm } from '../parts/create-form.tsx';
import { sizeOf } from '../parts/text.tsx';

/** Media types by file extension. The API detects a PDF by its content, but kinds of text by their media type. */
const mediaTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  htm: 'text/html',
  html: 'text/html',
  txt: 'text/plain',
};
const mediaTypeOf = ({ name, type }: File): string =>
  mediaTypes[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? (type || 'application/octet-stream');

/** Returns the reason that a file can't be uploaded, if there is one. */
function faultOf({ size }: File): string | undefined {
  if (size === 0) return 'This file is empty.';
  if (size <= maxDocumentBytes) return undefined;
  return `This file is ${sizeOf(size)}. The maximum is ${sizeOf(maxDocumentBytes)}.`;
}

/** Uploads a file as a document. */
export function UploadForm({ onUploaded }: { onUploaded: (document: Schema<'ContextSource'>) => void }) {
  const upload = useAction<Schema<'ContextSource'>>({ isErrorShown: true });
  const [file, setFile] = useState<File>();
  const [share, setShare] = useState(0);
  const stopping = useRef<AbortController>(null);
  const fault = file && faultOf(file);
  const send = ({ title }: Record<string, string>) => {
    if (!file || fault) return;
    stopping.current = new AbortController();
    setShare(0);
    upload.mutate(
      postAction('Document uploaded', '/api/context-sources/upload', {
        query: { title: title || file.name },
        file: {
          content: file,
          mediaType: mediaTypeOf(file),
          onProgress: setShare,
          signal: stopping.current.signal,
        },
      }),
      { onSuccess: onUploaded },
    );
  };
  return (
    <SendingForm
      sending={upload}
      button="Upload"
      isReady={fault === undefined}
      onSend={send}
      buttons={upload.isPending && <Button onClick={() => stopping.current?.abort()}>Cancel</Button>}
    >
      <ChooseFile fault={fault} onChoose={setFile} />
      <Field label="File title" name="title" hint="Defaults to the file name." />
      {upload.isPending && (
        <label className="grid gap-1 text-sm">
          {share < 1 ? 'Uploading…' : 'Processing…'}
          <progress max={1} value={share} className="w-full" />
        </label>
      )}
    </SendingForm>
  );
}

interface ChooseFileProps {
  fault: string | undefined;
  onChoose: (file: File | undefined) => void;
}

/** The file input. It has no name, because `readForm` reads only text fields. */
function ChooseFile({ fault, onChoose }: ChooseFileProps) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <Label of={id}>File</Label>
      <input
        id={id}
        type="file"
        required
        accept=".pdf,.txt,.md,.markdown,.html,.htm"
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? `${id}-hint ${id}-fault` : `${id}-hint`}
        className="w-full rounded-md border border-line bg-panel px-3 py-1.5 text-ink"
        onChange={({ target }) => onChoose(target.files?.[0])}
      />
      <p id={`${id}-hint`} className="text-sm text-soft">
        A PDF, or a text, Markdown or HTML file in UTF-8. Up to {sizeOf(maxDocumentBytes)}.
      </p>
      {fault && (
        <p id={`${id}-fault`} role="alert" className="text-sm text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}
