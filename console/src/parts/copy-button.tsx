import { useState } from 'react';
import { Button } from './controls.tsx';

/**
 * A button that copies a text. Browsers allow that only over https and on this machine. Elsewhere a dialog shows the
 * text.
 */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const [copied, setCopied] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      window.prompt('Copy this text:', text);
    }
  };
  return <Button onClick={() => void copy()}>{copied === text ? 'Copied' : children}</Button>;
}
