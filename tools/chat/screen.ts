/** What the terminal shows. Into a pipe or a file go the messages only, without colour or passing lines. */
import { styleText } from 'node:util';

export type Screen = {
  /** A line that the next one replaces. */
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

/** A bot's words must not steer the terminal: everything but line breaks and tabs among the control characters goes. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ''));
}
