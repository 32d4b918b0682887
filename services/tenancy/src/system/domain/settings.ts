import type { ServiceSettings } from '@botyard/contracts/http/config';
import {
  type ProblemFact,
  readProblems,
  readSettings,
  type SettingFact,
} from '@botyard/shared/system/questions';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { askAll, byService } from './ask-all.ts';

type ServiceConfig = Omit<z.input<typeof ServiceSettings>, 'settings'> & { settings: SettingFact[] };

/** The settings of every service, as its newest process reports them. @throws HttpError 503 without a bus. */
export async function listConfigs(deps: Pick<Deps, 'bus'>): Promise<ServiceConfig[]> {
  const { replies, unanswered } = await askAll(deps, readSettings, {});
  const answering = byService(replies).map(([serviceName, answers]): ServiceConfig => {
    const all = answers.map(({ answer }) => answer);
    const settings = all.at(-1) ?? [];
    return {
      serviceName,
      isAnswering: true,
      instances: answers.length,
      differing: settings.filter((setting) => isDiffering(setting, all)).map(({ name }) => name),
      settings,
    };
  });
  const silent = unanswered.map((serviceName) => ({
    serviceName,
    isAnswering: false,
    instances: 0,
    differing: [],
    settings: [],
  }));
  return [...answering, ...silent];
}

/**
 * The problems that running processes have noticed, one of each kind for a service. Processes of older versions don't
 * answer. @throws HttpError 503 without a bus.
 */
export async function listProblems(
  deps: Pick<Deps, 'bus'>,
): Promise<(ProblemFact & { serviceName: string })[]> {
  const { replies } = await askAll(deps, readProblems, {});
  return byService(replies).flatMap(([serviceName, answers]) => {
    const all = answers
      .flatMap(({ answer }) => answer)
      .sort((left, right) => (left.since < right.since ? -1 : 1));
    const first = Map.groupBy(all, ({ setting, problem }) => `${setting} ${problem}`).values();
    return [...first].flatMap(([one]) => (one ? [{ serviceName, ...one }] : []));
  });
}

function isDiffering({ name, isSet, value }: SettingFact, all: readonly SettingFact[][]): boolean {
  const serializedFact = JSON.stringify([isSet, value]);
  return all.some((settings) => {
    const other = settings.find((setting) => setting.name === name);
    return JSON.stringify([other?.isSet, other?.value]) !== serializedFact;
  });
}
