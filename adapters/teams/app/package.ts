/** The app for Teams as the one file that is uploaded. */

import { strToU8, zipSync } from 'fflate';
import { BridgeError } from '../../../src/kit.ts';
import { ICONS, teamsManifest } from './manifest.ts';
import type { ManifestSettings } from './settings.ts';

/** PNG: 192 pixels a side in colour, and 32 in white on nothing. */
export interface Icons {
  readonly color: Uint8Array;
  readonly outline: Uint8Array;
}

/** The earliest that a ZIP can tell, so that the same app is always the same file. */
const WHEN = new Date(1980, 0, 1);

/** As it is printed, checked in and packed. */
export const manifestText = (settings: ManifestSettings): string =>
  `${JSON.stringify(teamsManifest(settings), undefined, 2)}\n`;

/**
 * A ZIP of the manifest and its icons.
 * @throws BridgeError `config-invalid` that names what is missing or what Teams would refuse, and the cure
 */
export function teamsPackage(settings: ManifestSettings, { color, outline }: Icons): Uint8Array {
  const manifest = manifestText(settings);
  const missing = missingOf(settings);
  if (missing.length > 0) {
    const lines = missing.map((each) => `  ${each}`);
    throw new BridgeError('config-invalid', ['The app for Teams is not complete:', ...lines].join('\n'));
  }
  return zipSync(
    { 'manifest.json': strToU8(manifest), [ICONS.color]: color, [ICONS.outline]: outline },
    { mtime: WHEN, level: 9 },
  );
}

/** What a manifest may do without when it is only looked at; each with its cure. */
export function missingOf({ appId, publicUrl }: ManifestSettings): readonly string[] {
  return [
    ...(appId === undefined
      ? ['teams.appId is not set. Copy "Microsoft App ID" of the bot into MICROSOFT_APP_ID.']
      : []),
    ...(publicUrl === undefined
      ? [
          'server.publicUrl is not set. Set PARLEY_PUBLIC_URL to the https address under which Teams reaches the bridge.',
        ]
      : []),
  ];
}
