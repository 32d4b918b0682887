import type { Schema } from '@botyard/client/client';
import type { ServerTool } from './server-words.ts';

type Difference = Schema<'ServerToolDifference'>;

const fieldWords: Readonly<Record<Difference['field'], string>> = {
  title: 'Title',
  description: 'Description',
  inputSchema: 'Arguments',
  outputSchema: 'Results',
  annotations: 'What the server says about it',
};

/**
 * The parts of a definition that nobody has decided about yet. The texts are a stranger's: the API has written out
 * characters that can't be seen, such as `\u202e`, and each text is isolated.
 */
export function Differences({ tool: { difference = [], state } }: { tool: ServerTool }) {
  return (
    <section aria-label="Definition" className="grid gap-3">
      <p className="text-sm text-soft">
        {state === 'changed' ? 'This is different from what was decided about:' : 'The definition:'}
      </p>
      {difference.map((change) => (
        <Changed key={change.field} change={change} isChange={state === 'changed'} />
      ))}
      <p className="text-xs text-soft">Characters that can not be seen are written out, such as \u202e.</p>
    </section>
  );
}

function Changed({ change: { field, before, after }, isChange }: { change: Difference; isChange: boolean }) {
  return (
    <div className="grid gap-1">
      <h3 className="text-sm font-semibold">{fieldWords[field]}</h3>
      {isChange && <Side label={`${fieldWords[field]} before`} sign="−" text={before} look="bg-bad-tint" />}
      <Side
        label={`${fieldWords[field]} now`}
        sign={isChange ? '+' : ''}
        text={after}
        look={isChange ? 'bg-good-tint' : 'bg-hover'}
      />
    </div>
  );
}

interface SideProps {
  label: string;
  sign: string;
  text: string | null;
  look: string;
}

function Side({ label, sign, text, look }: SideProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
      tabIndex={0}
      className={`flex max-h-60 gap-2 overflow-auto rounded p-3 text-xs ${look}`}
    >
      {sign && (
        <span aria-hidden="true" className="font-mono font-semibold">
          {sign}
        </span>
      )}
      {text === null ? (
        <span className="text-soft">none</span>
      ) : (
        <pre dir="ltr" className="min-w-0 break-words whitespace-pre-wrap">
          <bdi>{text}</bdi>
        </pre>
      )}
    </section>
  );
}
