import { useEffect, useRef, useState } from 'react';
import { Panel } from '../../parts/controls.tsx';
import type { Look } from './look.ts';

interface ChatPreviewProps {
  look: Look;
  language: string;
  /** The page with the real widget, which shows what it is told and sends nothing. */
  path: string;
}

export function ChatPreview({ look, language, path }: ChatPreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const hear = ({ origin, source, data }: MessageEvent) => {
      const isOfPreview = origin === window.location.origin && source === frame.current?.contentWindow;
      if (isOfPreview && data === 'ready') setReady(true);
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, []);
  useEffect(() => {
    const mail = look.answersByMail === 'offered';
    if (isReady)
      frame.current?.contentWindow?.postMessage({ ...look, mail, language }, window.location.origin);
  }, [isReady, look, language]);
  return (
    <Panel title="Preview">
      <iframe
        ref={frame}
        src={path}
        title="Preview of the chat"
        className="h-[40rem] w-full rounded-lg border border-line bg-white"
      />
    </Panel>
  );
}
