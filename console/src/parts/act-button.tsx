import type { ComponentProps } from 'react';
import { type Action, useAction } from '../api/use-action.ts';
import { Button } from './controls.tsx';

interface ActButtonProps extends ComponentProps<typeof Button> {
  action: Action;
  /** Asked before, where what is done can't be taken back. */
  ask?: string;
  onDone?: () => void;
}

/** A button that does one thing. What went wrong is told by the toast. */
export function ActButton({ action, ask, onDone, disabled, ...rest }: ActButtonProps) {
  const act = useAction();
  const send = () => {
    if (ask === undefined || window.confirm(ask)) act.mutate(action, { onSuccess: () => onDone?.() });
  };
  return <Button disabled={act.isPending || disabled} onClick={send} {...rest} />;
}
