interface ChoicesProps {
  texts: readonly string[];
  /** Makes them buttons. Without it they are shown only. */
  onPress?: ((text: string) => void) | undefined;
}

const look =
  'max-w-full rounded-2xl border border-line px-3 py-1 text-start text-sm [overflow-wrap:anywhere]';

/** The texts that a person can choose from under an answer. */
export function Choices({ texts, onPress }: ChoicesProps) {
  return (
    <ul aria-label="Choices under the answer" className="flex max-w-full flex-wrap gap-1.5">
      {texts.map((text) => (
        <li key={text} className="max-w-full min-w-0">
          {onPress ? (
            <button
              type="button"
              dir="auto"
              className={`${look} min-h-8 cursor-pointer bg-panel hover:bg-sunk`}
              onClick={() => onPress(text)}
            >
              {text}
            </button>
          ) : (
            <bdi className={`${look} block text-soft`}>{text}</bdi>
          )}
        </li>
      ))}
    </ul>
  );
}
