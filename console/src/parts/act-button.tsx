import type { ComponentProps } from 'react';
import { useMayChange } from '../api/acting.tsx';
import { type Action, useAction } from '../api/use-action.ts';
import { Button } from './controls.tsx';

interface ActButtonProps extends ComponentProps<typeof Button> {
  action: Action;
  /** The text of the confirmation to show first. */
  ask?: string;
  onDone?: () => unknown;
}

/** A button that runs one action. The toast shows its result. Members, who may only read, don't see it. */
export function ActButton({ action, ask, onDone, disabled, ...rest }: ActButtonProps) {
  const act = useAction();
  const mayChange = useMayChange();
  const send = () => {
    if (ask === undefined || window.confirm(ask)) act.mutate({ ...action, onDone });
  };
  if (!mayChange) return null;
  return <Button disabled={act.isPending || disabled} onClick={send} {...rest} />;
}
