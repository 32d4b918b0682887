/** The load process. Its own work is not counted. It ends with the benchmark. */
import { Conversations } from './conversations.ts';
import type { Order, Report } from './messages.ts';
import { runLoad } from './run-load.ts';

let conversations: Promise<Conversations> | undefined;

async function follow(order: Order): Promise<unknown> {
  if (order.order === 'load') return await runLoad(order.plan);
  conversations ??= Conversations.start();
  const started = await conversations;
  return order.order === 'platforms' ? started.platforms : await started.run(order.plan);
}

function report(content: Report): void {
  process.send?.(content);
}

process.on('message', (order: Order) => {
  follow(order).then(
    (result) => report({ id: order.id, result }),
    (error: unknown) => report({ id: order.id, fault: String((error as Error).stack ?? error) }),
  );
});
process.on('disconnect', () => process.exit(0));
