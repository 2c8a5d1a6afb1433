/** `npm run icons`: draws the icons of the app for Teams. */

import { writeFileSync } from 'node:fs';
import { colourIcon, outlineIcon } from './icons.ts';
import { png } from './png.ts';

const folder = new URL('../../manifests/teams/', import.meta.url);
writeFileSync(new URL('color.png', folder), png(colourIcon()));
writeFileSync(new URL('outline.png', folder), png(outlineIcon()));
