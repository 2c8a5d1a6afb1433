/**
 * The app's manifest in the repository, as Slack reads it: https://docs.slack.dev/reference/app-manifest. Slack grants the
 * app the scopes, sends it the events, and offers people the commands and shortcuts that the manifest names.
 */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const named = z.array(z.object({ callback_id: z.string() })).default([]);

const manifest = z
  .object({
    features: z.object({
      shortcuts: named,
      slash_commands: z.array(z.object({ command: z.string() })).default([]),
    }),
    oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
    settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
  })
  .parse(parse(readFileSync(new URL('../../../manifests/slack.yaml', import.meta.url), 'utf8')));

/** Scopes that the fake grants by default. */
export const manifestScopes: readonly string[] = manifest.oauth_config.scopes.bot;
/** Scopes of the manifest if people are mapped by their addresses, which is off by default. */
export const scopesWithEmail: readonly string[] = [...manifestScopes, 'users:read.email'];
/** Events that the fake sends by default. */
export const manifestEvents: readonly string[] = manifest.settings.event_subscriptions.bot_events;

const offered = new Set([
  ...manifest.features.slash_commands.map(({ command }) => command),
  ...manifest.features.shortcuts.map(({ callback_id }) => callback_id),
]);

/** Throws an error if Slack does not offer people the command or shortcut. */
export function checkOffered(name: string): void {
  if (!offered.has(name)) throw new Error(`The manifest names no command or shortcut ${name}.`);
}
