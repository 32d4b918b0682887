/**
 * Named places where a test can make a process fail (reliability, rule 20). `FAILPOINTS=name:action,name:action`
 * with the actions `crash` (as kill -9), `error` and `hang`; an action ending in `*3` acts on the third passing.
 * Honoured only with `NODE_ENV=test`.
 */
interface Failpoint {
  action: 'crash' | 'error' | 'hang';
  passesLeft: number;
}

const armed = new Map<string, Failpoint>();
const shape = /^([\w.-]+):(crash|error|hang)(?:\*(\d+))?$/;

export function armFailpoints(setting: string | undefined, nodeEnv: string): void {
  armed.clear();
  if (!setting || nodeEnv !== 'test') return;
  for (const entry of setting.split(',')) {
    const [, name, action, pass] = shape.exec(entry.trim()) ?? [];
    if (!name) throw new Error('FAILPOINTS: an entry is not name:action');
    armed.set(name, { action: action as Failpoint['action'], passesLeft: Number(pass ?? 1) });
  }
}

/** Does nothing unless a test armed this name; acts once. */
export async function failpoint(name: string): Promise<void> {
  if (armed.size === 0) return;
  const point = armed.get(name);
  if (!point) return;
  point.passesLeft -= 1;
  if (point.passesLeft > 0) return;
  armed.delete(name);
  if (point.action === 'crash') process.kill(process.pid, 'SIGKILL');
  if (point.action === 'error') throw new Error(`failpoint ${name}`);
  await new Promise(() => {});
}
