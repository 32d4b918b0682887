import type { SetUpStep } from '@botyard/contracts/platforms/definition';
import { CopyButton } from '../../parts/copy-button.tsx';

interface Places {
  botId: string;
  deliverTo: string;
}

const filled = (text: string, { botId, deliverTo }: Places): string =>
  text
    .replaceAll('{origin}', window.location.origin)
    .replaceAll('{botId}', botId)
    .replaceAll('{deliverTo}', deliverTo);

/** Numbered steps, with what has to be taken along. Longer texts are folded. */
export function SetUpSteps({ steps, places }: { steps: readonly SetUpStep[]; places: Places }) {
  if (steps.length === 0) return null;
  return (
    <ol className="grid list-decimal gap-3 pl-5 text-sm">
      {steps.map(({ text, link, copy }) => (
        <li key={text}>
          <div className="grid min-w-0 gap-2">
            <p>{text}</p>
            {copy && <Taken text={filled(copy.text, places)} />}
            {(link || copy) && (
              <div className="flex flex-wrap items-center gap-3">
                {copy && <CopyButton text={filled(copy.text, places)}>{copy.label}</CopyButton>}
                {link && (
                  <a
                    href={filled(link.address, places)}
                    target="_blank"
                    rel="noreferrer"
                    className="text-accent underline"
                  >
                    {link.label}
                  </a>
                )}
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Taken({ text }: { text: string }) {
  const shape = 'rounded bg-sunk p-2 font-mono text-xs break-all whitespace-pre-wrap';
  if (!text.includes('\n'))
    return (
      <code dir="ltr" className={shape}>
        {text}
      </code>
    );
  return (
    <details>
      <summary className="cursor-pointer text-soft">Show the text</summary>
      <pre
        dir="ltr"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
        tabIndex={0}
        className={`mt-2 max-h-48 overflow-auto ${shape}`}
      >
        {text}
      </pre>
    </details>
  );
}
