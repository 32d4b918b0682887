import { lazy, Suspense } from 'react';
import { plainOf } from './plain-text.ts';

/** Loads the parser of Markdown. It is as large as all of the inbox, so the first view doesn't wait for it. */
export const loadMarkdown = () => import('./markdown.tsx');
const Markdown = lazy(async () => ({ default: (await loadMarkdown()).Markdown }));

/** A bot's text with its formatting. Until the parser is loaded, its words. */
export function FormattedText({ text }: { text: string }) {
  return (
    <Suspense
      fallback={
        <p dir="auto" className="min-w-0 overflow-x-clip [overflow-wrap:anywhere]">
          {plainOf(text)}
        </p>
      }
    >
      <Markdown text={text} />
    </Suspense>
  );
}
