import type { ComponentProps } from 'react';
import { type Action, useAction } from '../api/use-action.ts';
import { Button } from './controls.tsx';

interface ActButtonProps extends ComponentProps<typeof Button> {
  action: Action;
  /** The text of the confirmation to show first. */
  ask?: string;
  onDone?: () => void;
}

/** A button that runs one action. The toast shows its result. */
export function ActButton({ action, ask, onDone, disabled, ...rest }: ActButtonProps) {
  const act = useAction();
  const send = () => {
    if (ask === undefined || window.confirm(ask)) act.mutate(action, { onSuccess: () => onDone?.() });
  };
  return <Button disabled={act.isPending || disabled} onClick={send} {...rest} />;
}
