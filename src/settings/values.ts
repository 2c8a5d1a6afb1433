/** Settings that several channels share. */

import { isIP } from 'node:net';
import { z } from 'zod';
import type { Secret } from '../secret.ts';

/**
 * The schema of a setting that is an http or https address.
 * @see {@link defineChannel}
 */
export const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/** Returns a setting that is a text. It must not be empty. */
export const textSetting = (description: string) => z.string().min(1).describe(description);

/** Returns a setting that is a whole number between the two bounds. */
export const numberSetting = (least: number, most: number, description: string) =>
  z.int().min(least).max(most).describe(description);

/**
 * Returns a setting that is on or off.
 * @param usual the value if the setting is absent
 * @see {@link defineChannel}
 */
export const switchSetting = (description: string, usual = false) =>
  z.boolean().default(usual).describe(description);

/**
 * Returns the setting that switches a channel off and keeps its other settings.
 * @param channel display name
 * @see {@link defineChannel}
 */
export const enabledSetting = (channel: string) =>
  switchSetting(`Whether ${channel} is on; if false, the other settings are kept but not used`, true);

/**
 * Returns the setting for the suggested questions that a channel shows before the first question.
 * @param most maximum number of questions
 * @param titleCharacters maximum length of a button's text, in UTF-16 units. A question has at most 1,000
 * @see {@link defineChannel}
 */
export const promptsSetting = (most: number, titleCharacters: number, description: string) =>
  z
    .array(
      z.strictObject({
        title: z.string().trim().min(1).max(titleCharacters).describe('Text of the button that people see'),
        message: z
          .string()
          .trim()
          .min(1)
          .max(1_000)
          .describe('Question that is asked when the button is pressed'),
      }),
    )
    .max(most)
    .default([])
    .describe(description);

/** Minimum length of a key, in characters: 128 bits even if all characters are hexadecimal digits. */
export const KEY_CHARACTERS = 32;

/** A function that checks a secret, for zod's `superRefine`. */
export type SecretCheck = (secret: Secret, context: z.RefinementCtx<Secret>) => void;

/**
 * Returns a check that refuses secrets that are too short.
 * @param characters minimum length, in UTF-16 units, without blanks at both ends
 * @param cure the remedy to show after the fault; it names the setting's variable
 * @see {@link defineChannel}
 */
export function atLeast(characters: number, cure: string): SecretCheck {
  return (secret, context) => {
    const { length } = secret.reveal().trim();
    if (length >= characters) return;
    const message = `has only ${length} ${length === 1 ? 'character' : 'characters'}`;
    context.addIssue({ code: 'custom', message, params: { cure } });
  };
}

/**
 * True if a host name or IP address refers to this machine: `localhost` and the loopback addresses
 * (https://www.rfc-editor.org/rfc/rfc6890).
 * @example
 * ```ts
 * isLoopback('[::1]'); // true
 * isLoopback('chat.example'); // false
 * ```
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** Returns the host as an address contains it: IPv6 addresses in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
