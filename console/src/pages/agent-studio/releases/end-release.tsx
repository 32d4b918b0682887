import { useState } from 'react';
import { postAction, useAction } from '../../../api/use-action.ts';
import { Button, Field, Form, SubmitRow } from '../../../parts/controls.tsx';
import { Popup } from '../../../parts/popup.tsx';
import { Fault } from '../../../parts/states.tsx';
import type { Release } from './use-releases.ts';

const ends = {
  withdraw: {
    button: 'Withdraw',
    look: 'bad',
    title: 'Withdraw the candidate',
    about: 'From the next answer on, the live version answers every chat, also those of the candidate.',
    done: 'The candidate is withdrawn',
  },
  promote: {
    button: 'Promote',
    look: 'main',
    title: 'Make the candidate live',
    about: 'The agent gets a new version with the content of the candidate, which answers every chat.',
    done: 'The candidate is live',
  },
} as const;

interface EndReleaseProps {
  release: Release;
  how: keyof typeof ends;
}

/** A button that ends a release, once it is confirmed. A refusal is shown with its reasons. */
export function EndRelease({ release: { agentId, releaseId }, how }: EndReleaseProps) {
  const [isOpen, setOpen] = useState(false);
  const end = useAction();
  const { button, look, title, about, done } = ends[how];
  const send = ({ reason }: Record<string, string>) =>
    end.mutate(
      postAction(done, `/api/definitions/agents/{id}/releases/{releaseId}/${how}`, {
        names: { id: agentId, releaseId },
        body: reason ? { reason } : {},
        onDone: () => setOpen(false),
      }),
    );
  const open = (nowOpen: boolean) => {
    end.reset();
    setOpen(nowOpen);
  };
  return (
    <>
      <Button look={look} onClick={() => open(true)}>
        {button}
      </Button>
      <Popup title={title} isOpen={isOpen} onOpen={open}>
        <p>{about}</p>
        {end.error && <Fault error={end.error} />}
        <Form onSend={send}>
          <Field label="Reason" name="reason" hint="Optional. It is kept with the release." />
          <SubmitRow button={`${button} now`} look={look} disabled={end.isPending}>
            <Button onClick={() => open(false)}>Cancel</Button>
          </SubmitRow>
        </Form>
      </Popup>
    </>
  );
}
