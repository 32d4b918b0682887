import type { ServiceSettings } from '@botyard/contracts/http/config';
import { readSettings, type SettingFact } from '@botyard/shared/system/questions';
import type { z } from 'zod';
import type { Deps } from '../../deps.ts';
import { askAll, byService } from './ask-all.ts';

type ServiceConfig = Omit<z.input<typeof ServiceSettings>, 'settings'> & { settings: SettingFact[] };

/** The settings of every service, as its newest process reports them. @throws HttpError 503 without a bus. */
export async function listConfigs(deps: Pick<Deps, 'bus'>): Promise<ServiceConfig[]> {
  const { told, unanswered } = await askAll(deps, readSettings, {});
  const answering = byService(told).map(([serviceName, answers]): ServiceConfig => {
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

function isDiffering({ name, isSet, value }: SettingFact, all: readonly SettingFact[][]): boolean {
  const known = JSON.stringify([isSet, value]);
  return all.some((settings) => {
    const other = settings.find((setting) => setting.name === name);
    return JSON.stringify([other?.isSet, other?.value]) !== known;
  });
}
