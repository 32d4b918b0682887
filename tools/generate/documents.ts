import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import { routers } from '@botyard/contracts/http/catalogue';
import { layerImports, moduleImports } from '../../test/support/import-graph.ts';
import { createAsyncapi } from './asyncapi.ts';
import { busVersionFile, createBusVersion } from './bus-version.ts';
import { createEventsPage } from './events-page.ts';
import { createOpenapi } from './openapi.ts';
import { drawArrows } from './pictures/svg.ts';
import { drawWithdrawals } from './pictures/withdrawals.ts';

/** The path (from the root of the repository) and content of every generated document. Deterministic. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(createOpenapi(routers), null, 2)}\n`],
    ['docs/asyncapi.json', `${JSON.stringify(createAsyncapi({ events, requests, signals }), null, 2)}\n`],
    ['docs/events.md', createEventsPage({ events, requests, signals })],
    [busVersionFile, createBusVersion()],
    ['docs/releases.svg', drawWithdrawals()],
    ...modulePictures(),
  ]);
}

const withModules = ['agents', 'tenancy', 'webhooks'];

/** Path and content of each picture of what imports what, for decision 44. */
function modulePictures(): [path: string, text: string][] {
  return [
    [
      'docs/decisions/modules/layers.svg',
      drawArrows('Layers and libraries: each uses those below it', layerImports()),
    ],
    ...withModules.map((name): [string, string] => [
      `docs/decisions/modules/${name}.svg`,
      drawArrows(`Modules of ${name}: each uses those below it`, moduleImports(name)),
    ]),
  ];
}
