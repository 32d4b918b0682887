import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import type { EventType, RequestType } from '@botyard/contracts/events/definition';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { consumerTables, usedBy } from '../../support/bus-definitions.ts';
import { checkAnswer } from './check-answers.ts';
import { answerWithSamples, checkAsk, checkSilence } from './check-asks.ts';
import {
  checkAllPublished,
  checkConsumer,
  checkForeignEvents,
  checkListener,
  checkPublisher,
  checkSignal,
  checkWatcher,
} from './check-events.ts';
import { checkSystem } from './check-system.ts';
import type { ServiceUnderTest } from './service-under-test.ts';
import type { AskCase, Tables } from './tables.ts';

/** A service's use of the bus, according to the catalogue, its table of consumers and its code. */
export function contractsOf(service: ServiceName) {
  return {
    answers: requests.filter(({ owner }) => owner === service),
    asks: requests.filter(({ callers }) => callers.includes(service)),
    consumes: (consumerTables[service] ?? []).map(({ event }) => event),
    watches: [...new Set(usedBy(service, 'watch'))] as EventType[],
    publishes: events.filter(({ owner }) => owner === service),
    signals: signals.filter(({ owner }) => owner === service),
    listens: signals.filter(({ listeners }) => listeners.includes(service)),
  };
}

/** Checks everything that the service under test sends and receives. A contract without a case fails by its name. */
export function checkContracts(service: ServiceName, sut: () => ServiceUnderTest, tables: Tables): void {
  const contracts = contractsOf(service);

  describe('every contract has a case here, and nothing else has', () => {
    test.each(Object.keys(contracts) as (keyof Tables)[])('%s', (kind) => {
      const wanted = contracts[kind].map(({ name }) => name as string);
      expect(Object.keys(tables[kind]).sort()).toEqual(wanted.sort());
    });
  });

  const pairs = <D extends { name: string }, Case>(
    definitions: readonly D[],
    cases: Readonly<Record<string, Case>>,
  ) =>
    definitions.flatMap((definition) => {
      const ownCase = cases[definition.name];
      return ownCase ? [[definition, ownCase] as const] : [];
    });

  const answered = pairs(contracts.answers, tables.answers);
  group('it answers', answered, (request, answer) => checkAnswer(sut, request, answer));

  const askPairs = pairs<RequestType, AskCase>(contracts.asks, tables.asks);
  group('it asks', askPairs, (request, ask) => checkAsk(sut, [request, ask], askPairs));
  if (askPairs.length > 0) checkSilence(sut, askPairs);

  // From here on no test meets the fakes of the one before. Until here there are none where nothing is asked.
  const asUsual = () => answerWithSamples(sut(), sut().newTenant(), askPairs);

  const consumed = pairs(contracts.consumes, tables.consumes);
  group('it consumes', consumed, (event, consume) => checkConsumer(sut, event, consume), asUsual);

  const watched = pairs(contracts.watches, tables.watches);
  group(
    'it drops what it remembers at',
    watched,
    (event, isDropped) => checkWatcher(sut, event, isDropped),
    asUsual,
  );

  const heard = pairs(contracts.listens, tables.listens);
  group('it hears', heard, (signal, isHeard) => checkListener(sut, signal, isHeard), asUsual);

  describe('it publishes', () => {
    beforeEach(asUsual);
    for (const [event, cause] of pairs(contracts.publishes, tables.publishes))
      checkPublisher(sut, event, cause);
    for (const [signal, cause] of pairs(contracts.signals, tables.signals)) checkSignal(sut, signal, cause);
    checkAllPublished(sut, contracts.publishes);
    checkForeignEvents(sut, events);
  });

  checkSystem(() => sut().server, service);
}

/** A group without tests would be a fault. */
function group<D, Case>(
  name: string,
  cases: readonly (readonly [D, Case])[],
  check: (definition: D, found: Case) => void,
  before: () => Promise<void> = async () => undefined,
): void {
  if (cases.length === 0) return;
  describe(name, () => {
    beforeEach(before);
    for (const [definition, found] of cases) check(definition, found);
  });
}
