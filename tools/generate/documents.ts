import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import { routers } from '@botyard/contracts/http/catalogue';
import { createAsyncapi } from './asyncapi.ts';
import { busVersionFile, createBusVersion } from './bus-version.ts';
import { createErrorsPage } from './errors-page.ts';
import { createEventsPage } from './events-page.ts';
import { createOpenapi } from './openapi.ts';
import { modulePictures } from './pictures/pictures.ts';

/** The path (from the root of the repository) and content of every generated document. Deterministic. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(createOpenapi(routers), null, 2)}\n`],
    ['docs/asyncapi.json', `${JSON.stringify(createAsyncapi({ events, requests, signals }), null, 2)}\n`],
    ['docs/errors.md', createErrorsPage()],
    ['docs/events.md', createEventsPage({ events, requests, signals })],
    [busVersionFile, createBusVersion()],
    ...modulePictures(),
  ]);
}
