import { answerChecks, startMessagingInstallation } from '../installation/messaging.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult } from '../load/messages.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import { figure, spread, type Table, times } from '../report/table.ts';

/** Enough bots that the send limit of the messenger, 25/s per bot, doesn't apply. */
const botsPerTenant = 12;
const chatsPerBot = 100;
/** The maximum number of connections that the messenger opens for one bot. */
const connections = 40;
const floodMessages = 10_000;

/** Measures a tenant's wait for answers during another tenant's flood, compared with an idle installation. */
export const flood: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const { installation, targets } = await startMessagingInstallation(bench, load, {
    tenants: 2,
    botsPerTenant,
  });
  const [flooding, waiting] = [targets.slice(0, botsPerTenant), targets.slice(botsPerTenant)];
  const port = installation.gatewayPort;
  const messages = Math.round(100 * seconds);
  const person = () =>
    load.converse({ port, targets: waiting, chatsPerTarget: chatsPerBot, inFlight: 1, messages });
  say('warming up');
  await load.converse({ port, targets, chatsPerTarget: chatsPerBot, inFlight: 16, messages: 600 });
  const series = new Series();
  const seen: ConversationResult[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round}/${rounds}: quiet`);
    const quiet = await person();
    say(`round ${round}/${rounds}: beside a flood of ${floodMessages}`);
    const flooded = load.converse({
      port,
      targets: flooding,
      chatsPerTarget: chatsPerBot,
      inFlight: connections,
      messages: floodMessages,
      isFlood: true,
    });
    const beside = await person();
    say(
      `round ${round}/${rounds}: p99 ${figure(beside.p99Ms)} ms beside ${figure(quiet.p99Ms)}; waiting for the flood's answers`,
    );
    const whole = await flooded;
    series.add('quiet', figuresOf(quiet));
    series.add('beside a flood', figuresOf(beside));
    series.add('the flood itself', { perSecond: whole.answered / whole.seconds, ...figuresOf(whole) });
    seen.push(quiet, beside, whole);
  }
  return { tables: [table(series)], checks: answerChecks('flood', seen), rounds: series };
};

const figuresOf = ({ p50Ms, p99Ms, maxMs }: ConversationResult) => ({ p50Ms, p99Ms, maxMs });

function table(series: Series): Table {
  const row = (name: string) => [
    name,
    spread(series.of(name, 'p50Ms')),
    spread(series.of(name, 'p99Ms')),
    spread(series.of(name, 'maxMs')),
    name === 'beside a flood' ? times(series.ratio(name, 'quiet', 'p50Ms')) : '',
    name === 'beside a flood' ? times(series.ratio(name, 'quiet', 'p99Ms')) : '',
  ];
  return {
    title: `Flood: a tenant that asks one thing at a time, while another one floods ${figure(floodMessages)} messages`,
    head: ['whose answers', 'p50 ms', 'p99 ms', 'max ms', 'p50 of quiet', 'p99 of quiet'],
    rows: ['quiet', 'beside a flood', 'the flood itself'].map(row),
    notes: [
      `The flood is answered at ${spread(series.of('the flood itself', 'perSecond'))} messages/s; its own times are of messages that wait for their turn.`,
    ],
  };
}
