import { Series } from '../../rig/series.ts';
import { figure, spread, type Table, times } from '../../rig/table.ts';
import { answerChecks, startWithBots } from '../installation/installation.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, Target } from '../load/messages.ts';
import { interleave } from '../measure/rounds.ts';
import type { Part } from '../part.ts';
import { beside as besideName } from './reads.ts';

/** Enough bots that the send limit of the messenger, 25/s per bot, doesn't apply. */
const botsPerTenant = 12;
const chatsPerTarget = 100;
/** The maximum number of connections that the messenger opens for one bot. */
const connections = 40;
const floodMessages = 10_000;
const situations = ['quiet', 'beside a flood', 'the flood itself'] as const;

interface Variant {
  name: string;
  port: number;
  flooding: Target[];
  waiting: Target[];
}

/** Measures a tenant's wait for answers during another tenant's flood, compared with an idle installation. */
export const flood: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const variants: Variant[] = [];
  const series = new Series();
  const results = new Map<string, ConversationResult[]>();
  for (const checkout of bench.beside ? [bench.beside, undefined] : [undefined]) {
    const size = { tenants: 2, botsPerTenant };
    const { installation, targets } = await startWithBots(bench, load, size, checkout);
    variants.push({
      name: checkout ? besideName : 'botyard',
      port: installation.gatewayPort,
      flooding: targets.slice(0, botsPerTenant),
      waiting: targets.slice(botsPerTenant),
    });
  }
  say('warming up');
  for (const { port, flooding, waiting } of variants)
    await load.converse({
      port,
      targets: [...flooding, ...waiting],
      chatsPerTarget,
      inFlight: 16,
      messages: 600,
    });
  await interleave(variants, rounds, async ({ name, port, flooding, waiting }, round) => {
    const messages = Math.round(100 * seconds);
    const person = () => load.converse({ port, targets: waiting, chatsPerTarget, inFlight: 1, messages });
    say(`round ${round + 1}/${rounds}: ${name}, quiet`);
    const quiet = await person();
    say(`round ${round + 1}/${rounds}: ${name}, beside a flood of ${floodMessages}`);
    const flooded = load.converse({
      port,
      targets: flooding,
      chatsPerTarget,
      inFlight: connections,
      messages: floodMessages,
      isFlood: true,
    });
    const beside = await person();
    say(`p99 ${figure(beside.p99Ms)} ms beside ${figure(quiet.p99Ms)}; waiting for the flood's answers`);
    const whole = await flooded;
    for (const [index, result] of [quiet, beside, whole].entries())
      series.add(`${name}, ${situations[index]}`, figuresOf(result));
    results.set(name, [...(results.get(name) ?? []), quiet, beside, whole]);
  });
  return {
    tables: [table(series, variants)],
    checks: [...results].flatMap(([name, all]) => answerChecks(`flood, ${name}`, all)),
    rounds: series,
  };
};

const figuresOf = ({ p50Ms, p99Ms, maxMs, answered, seconds }: ConversationResult) => ({
  p50Ms,
  p99Ms,
  maxMs,
  perSecond: answered / seconds,
});

function table(series: Series, variants: readonly Variant[]): Table {
  const row = (build: string, situation: string) => {
    const name = `${build}, ${situation}`;
    const ofQuiet = (metric: string) =>
      situation === 'beside a flood' ? times(series.ratio(name, `${build}, quiet`, metric)) : '';
    return [
      name,
      spread(series.of(name, 'p50Ms')),
      spread(series.of(name, 'p99Ms')),
      spread(series.of(name, 'maxMs')),
      ofQuiet('p50Ms'),
      ofQuiet('p99Ms'),
      spread(series.of(name, 'perSecond')),
    ];
  };
  return {
    title: `Flood: a tenant that asks one thing at a time, while another one floods ${figure(floodMessages)} messages`,
    head: ['whose answers', 'p50 ms', 'p99 ms', 'max ms', 'p50 of quiet', 'p99 of quiet', 'messages/s'],
    rows: variants.flatMap(({ name }) => situations.map((situation) => row(name, situation))),
    notes: ["The flood's own times are of messages that wait for their turn."],
  };
}
