/** The terminal's output. A pipe or a file receives only the messages, without color and progress lines. */
import { styleText } from 'node:util';

export type Screen = {
  /** Shows a progress line, which the next output replaces. */
  wait(line: string): void;
  say(who: string, text: string): void;
  end(): void;
};

export function createScreen(out: NodeJS.WriteStream = process.stdout): Screen {
  const isTerminal = out.isTTY === true;
  let isWaiting = false;
  const clear = () => {
    if (isTerminal) out.write('\r\u001b[K');
    isWaiting = false;
  };
  return {
    wait: (line) => {
      if (!isTerminal) return;
      out.write(`\r\u001b[K${styleText('dim', line)}`);
      isWaiting = true;
    },
    say: (who, text) => {
      clear();
      out.write(`${isTerminal ? styleText(['bold', 'cyan'], who) : who}: ${withoutControls(text)}\n`);
    },
    end: () => {
      if (isWaiting) clear();
    },
  };
}

/** A bot's text must not control the terminal: control characters other than line breaks and tabs are removed. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ''));
}
