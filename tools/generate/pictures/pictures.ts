import { layerArrows, moduleArrows } from '../../../test/support/arrows.ts';
import { drawArrows } from './svg.ts';

const withModules = ['agents', 'tenancy', 'webhooks'];

/** Path and content of each picture of what imports what, for decision 44. */
export function modulePictures(): [path: string, text: string][] {
  return [
    [
      'docs/decisions/modules/layers.svg',
      drawArrows('Layers and libraries: each uses those below it', layerArrows()),
    ],
    ...withModules.map((name): [string, string] => [
      `docs/decisions/modules/${name}.svg`,
      drawArrows(`Modules of ${name}: each uses those below it`, moduleArrows(name)),
    ]),
  ];
}
