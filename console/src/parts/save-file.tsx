import { useState } from 'react';
import { Button } from './controls.tsx';
import { Fault } from './states.tsx';

interface SaveFileProps {
  name: string;
  read: () => Blob | Promise<Blob>;
  disabled?: boolean;
  children: string;
}

/** A button that downloads the content that `read` returns. */
export function SaveFile({ name, read, disabled, children }: SaveFileProps) {
  const [error, setError] = useState<Error>();
  const save = async () => {
    setError(undefined);
    try {
      const address = URL.createObjectURL(await read());
      Object.assign(document.createElement('a'), { href: address, download: name }).click();
      URL.revokeObjectURL(address);
    } catch (fault) {
      setError(fault as Error);
    }
  };
  return (
    <>
      <Button disabled={disabled} onClick={() => void save()}>
        {children}
      </Button>
      {error && <Fault error={error} />}
    </>
  );
}
