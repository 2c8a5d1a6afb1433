/**
 * Finds faults that would make Teams refuse the app package, although each setting keeps its own limits. Each fault names
 * its cure.
 */

import type { SingleSignOn, TeamsConfig } from '../config.ts';
import type { TeamsSettings } from '../settings.ts';

/** Settings and addresses from which the app package is made. */
export type ManifestSettings = Pick<
  TeamsSettings,
  'appId' | 'name' | 'description' | 'developer' | 'prompts' | 'copilot'
> &
  Pick<TeamsConfig, 'allMessages' | 'publicUrl' | 'singleSignOn' | 'targeted'> & {
    /** Version of the app package. Teams accepts a changed package only if its version is higher. */
    readonly version: string;
  };

/** A version consists of numbers only, because Teams compares versions to find the newer package. */
const NUMBERS = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/;

/** Returns each fault as a sentence with its cure. */
export function faultsOf({ version, publicUrl, singleSignOn }: ManifestSettings): readonly string[] {
  const isHttps = publicUrl === undefined || URL.parse(publicUrl)?.protocol === 'https:';
  return [
    ...(NUMBERS.test(version) ? [] : [`the version is "${version}". Give three numbers, such as 1.0.1.`]),
    ...(isHttps
      ? []
      : [`server.publicUrl is "${publicUrl}". Give an https address: Teams accepts no other.`]),
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
