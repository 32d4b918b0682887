import { useSearch } from '@tanstack/react-router';
import { Braces } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useActing } from '../api/acting.tsx';
import { toCurl } from '../api/use-action.ts';
import type { Shown } from '../api/use-answer.ts';
import { IconButton } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import { Popup } from './popup.tsx';
import { useChangeSearch } from './use-change-search.ts';

interface PageProps {
  title: string;
  about?: string;
  /** The API responses that the page shows. */
  answers?: readonly Shown[];
  actions?: ReactNode;
  /** Uses the whole width, for panes side by side. */
  isWide?: boolean;
  children: ReactNode;
}

export function Page({ title, about, answers = [], actions, isWide, children }: PageProps) {
  return (
    <div
      className={`mx-auto grid w-full grid-cols-[minmax(0,1fr)] gap-5 p-4 md:p-8 ${isWide ? 'max-w-[100rem]' : 'max-w-6xl'}`}
    >
      <DocumentTitle title={title} />
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-48">
          <h1
            dir="auto"
            className="text-xl font-semibold tracking-tight overflow-x-clip [overflow-wrap:anywhere]"
          >
            {title}
          </h1>
          {about && <p className="max-w-3xl text-soft">{about}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          {actions}
          {answers.length > 0 && <ForDevelopers answers={answers} />}
        </div>
      </header>
      {children}
    </div>
  );
}

/** Names the page in its tab and in the browser's history. */
export function DocumentTitle({ title }: { title: string }) {
  useEffect(() => {
    document.title = `${title} · Botyard`;
  }, [title]);
  return null;
}

/** The requests of the page, for those who automate it: as curl commands, with the API's answers as JSON. */
export function ForDevelopers({ answers }: { answers: readonly Shown[] }) {
  const { as, tenantId } = useActing();
  const change = useChangeSearch({ replace: true });
  const { json } = useSearch({ strict: false });
  const curl = answers.map(({ address }) => toCurl({ address, tenantId, as })).join('\n');
  const open = (isOpen: boolean) => change({ json: isOpen || undefined });
  return (
    <>
      <IconButton icon={Braces} label="For developers" onClick={() => open(true)} />
      <Popup title="The API behind this page" isOpen={json === true} onOpen={open}>
        <div>
          <CopyButton text={curl}>Copy as curl</CopyButton>
        </div>
        {answers.map(({ address, data }) => (
          <div key={address} className="grid gap-1">
            <p className="font-mono text-sm break-all text-soft">{address}</p>
            <Json value={data} />
          </div>
        ))}
      </Popup>
    </>
  );
}

export function Json({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <pre tabIndex={0} className="max-h-[60vh] overflow-auto rounded bg-hover p-3 text-xs">
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
