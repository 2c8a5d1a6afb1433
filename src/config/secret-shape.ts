/** What can be told of a secret without using it: that it is too short, or one of Slack's tokens in the wrong place. */

import type { z } from 'zod';
import type { Secret } from '../secret.ts';

/** Of a key's text: 128 bits even where the random characters are hexadecimal digits. */
export const KEY_CHARACTERS = 32;

type Check = (secret: Secret, context: z.RefinementCtx<Secret>) => void;

/** @param cure read after the fault; names the setting's variable */
export function atLeast(characters: number, cure: string): Check {
  return (secret, context) => {
    const { length } = secret.reveal().trim();
    if (length >= characters) return;
    const message = `has only ${length} ${length === 1 ? 'character' : 'characters'}`;
    context.addIssue({ code: 'custom', message, params: { cure } });
  };
}

type Kind = 'bot' | 'app' | 'person' | 'refresh' | 'other';

/** Slack documentation of "Tokens"; the tokens of "token rotation" have `xoxe.` before. */
const BEGINNINGS: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:xoxe\.)?xoxb-/, 'bot'],
  [/^xapp-/, 'app'],
  [/^(?:xoxe\.)?xoxp-/, 'person'],
  [/^xoxe-/, 'refresh'],
  [/^xox[a-z]?[-.]/, 'other'],
];

const NAMES: Readonly<Record<Kind, string>> = {
  bot: 'a bot token (xoxb-…)',
  app: 'an app-level token (xapp-…)',
  person: "a person's token (xoxp-…)",
  refresh: 'a refresh token (xoxe-…)',
  other: 'another token of Slack',
};

/** Where a token of the kind is wanted. */
const PLACES: Partial<Readonly<Record<Kind, string>>> = {
  bot: ' This one belongs in SLACK_BOT_TOKEN.',
  app: ' This one belongs in SLACK_APP_TOKEN.',
};

interface Wanted {
  /** The kind of token that the setting holds; none where it holds no token. */
  readonly kind?: 'bot' | 'app';
  readonly name: string;
  /** Where to find the right one. */
  readonly cure: string;
}

/** Refuses what is plainly another of Slack's tokens; anything else is Slack's to judge. */
export function slackSecret({ kind, name, cure }: Wanted): Check {
  return (secret, context) => {
    const found = BEGINNINGS.find(([beginning]) => beginning.test(secret.reveal()))?.[1];
    if (found === undefined || found === kind) return;
    const message = `holds ${NAMES[found]}, not the ${name}`;
    context.addIssue({ code: 'custom', message, params: { cure: `${cure}.${PLACES[found] ?? ''}` } });
  };
}
