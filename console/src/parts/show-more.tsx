import { Button } from './controls.tsx';
import { Fault } from './states.tsx';

interface ShowMoreProps {
  list: { more?: (() => void) | undefined; moreError?: Error | null };
  children?: string;
}

/** Loads the next page of a list, and shows the reason if that fails. */
export function ShowMore({ list: { more, moreError }, children = 'Show more' }: ShowMoreProps) {
  return (
    <>
      {moreError && <Fault error={moreError} />}
      {more && <Button onClick={more}>{children}</Button>}
    </>
  );
}
