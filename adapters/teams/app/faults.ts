/** Finds faults that would make Teams refuse the app package. Each fault names its cure. */

import type { SingleSignOn, TeamsConfig } from '../config.ts';
import { isId, type TeamsSettings } from '../settings.ts';

/** Settings and addresses from which the app package is made. */
export type ManifestSettings = Pick<
  TeamsSettings,
  'appId' | 'name' | 'description' | 'developer' | 'prompts' | 'copilot'
> &
  Pick<TeamsConfig, 'allMessages' | 'publicUrl' | 'singleSignOn' | 'targeted'> & {
    /** Version of the app package. Teams accepts a changed package only if its version is higher. */
    readonly version: string;
  };

/** Limits in the schema of app manifest 1.30, in characters; for `prompts`, the number of entries. */
const MAX = {
  name: 30,
  description: 80,
  developer: 32,
  address: 2_048,
  prompts: 12,
  title: 128,
  prompt: 4_000,
};

/** A version consists of numbers only, because Teams compares versions to find the newer package. */
const NUMBERS = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/;

/**
 * Describes an invalid id without showing the text, because the text may be the client secret, entered in the wrong
 * place.
 */
export const noId = (text: string): string => `is not an id (it has ${text.length} characters)`;

/** Returns each fault as a sentence with its cure. */
export function faultsOf(settings: ManifestSettings): readonly string[] {
  const { appId, name, description, developer, prompts, version, publicUrl, singleSignOn } = settings;
  return [
    ...(appId === undefined || isId(appId)
      ? []
      : [`teams.appId ${noId(appId)}. Copy "Microsoft App ID" of the bot into MICROSOFT_APP_ID.`]),
    ...(NUMBERS.test(version) ? [] : [`the version is "${version}". Give three numbers, such as 1.0.1.`]),
    ...textFaults('teams.name', name, MAX.name),
    ...textFaults('teams.description', description, MAX.description),
    ...textFaults('teams.developer.name', developer.name, MAX.developer),
    ...addressFaults('server.publicUrl', publicUrl),
    ...addressFaults('teams.developer.website', developer.website),
    ...addressFaults('teams.developer.privacy', developer.privacy),
    ...addressFaults('teams.developer.terms', developer.terms),
    ...promptFaults(prompts),
    ...(singleSignOn === undefined ? [] : signOnFaults(singleSignOn)),
  ];
}

/** Teams gets a token only for a resource that ends with the application's id. */
function signOnFaults({ resource, application }: SingleSignOn): readonly string[] {
  if (resource.toLowerCase().endsWith(application.toLowerCase())) return [];
  return [
    `teams.singleSignOn.resource is "${resource}". Copy the Application ID URI of the app ${application}: it ends with this id, such as api://botid-${application}.`,
  ];
}

function promptFaults(prompts: ManifestSettings['prompts']): readonly string[] {
  const { length } = prompts;
  const count =
    length > MAX.prompts ? [`teams.prompts has ${length} entries. Keep at most ${MAX.prompts}.`] : [];
  const each = prompts.flatMap(({ title, message }, at) => [
    ...textFaults(`teams.prompts.${at}.title`, title, MAX.title),
    ...textFaults(`teams.prompts.${at}.message`, message, MAX.prompt),
  ]);
  return [...count, ...each];
}

function textFaults(setting: string, text: string, most: number): readonly string[] {
  if (text.trim() === '') return [`${setting} is blank. Write 1 to ${most} characters.`];
  if (text.length <= most) return [];
  return [`${setting} has ${text.length} characters. Shorten it to ${most} characters.`];
}

function addressFaults(setting: string, address: string | undefined): readonly string[] {
  if (address === undefined) return [];
  if (URL.parse(address)?.protocol !== 'https:') {
    return [`${setting} is "${address}". Give an https address: Teams accepts no other.`];
  }
  return address.length > MAX.address
    ? [`${setting} is too long. Shorten it to ${MAX.address} characters.`]
    : [];
}
