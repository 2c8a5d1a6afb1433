/** The console's settings, and a check of how they fit the other settings. */

import { z } from 'zod';
import {
  atLeast,
  type Environment,
  type Fault,
  isLoopback,
  secretSetting,
  type Tree,
  valueAt,
} from '../../src/kit/channel.ts';

const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

const person = z
  .strictObject({
    id: z
      .string()
      .regex(/^[\w-]{1,40}$/, 'must be 1 to 40 letters, digits, dashes')
      .describe('Unique id of the person'),
    name: z.string().min(1).max(80).describe('Name that people see'),
    title: z.string().max(80).default('').describe('Text under the name, such as a job title'),
    email: z.email().optional().describe('E-mail address; maps the person to a platform account'),
    standing: z
      .enum(['member', 'guest', 'external'])
      .default('member')
      .describe('Standing of the person: a member, a guest, or external (of another organization)'),
  })
  .describe('A person as whom users of the console can speak');

/** Minimum characters of the token. Guessing is also slowed down at sign-in. */
const TOKEN_CHARACTERS = 16;
const TOKEN_CURE = 'Set PARLEY_CONSOLE_TOKEN to a longer one, such as the output of `openssl rand -hex 16`.';

export const consoleSettings = (environment: Environment) =>
  z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether the built-in console is served'),
      token: secretSetting(
        environment,
        'Token that people enter to open the console, at least 16 characters; required if other machines can reach it',
      )
        .superRefine(atLeast(TOKEN_CHARACTERS, TOKEN_CURE))
        .optional(),
      botName: z
        .string()
        .regex(NAME, 'must be 1 to 40 lower-case letters, digits, dots, dashes')
        .describe('The name by which people mention the bridge')
        .default('parley'),
      people: z
        .array(person)
        .min(1)
        .max(50)
        .optional()
        .describe('People as whom users of the console can speak; if absent, four demonstration people'),
    })
    .describe('The built-in console');

export type ConsoleSettings = z.output<ReturnType<typeof consoleSettings>>;

/** Requires a token if other machines can reach the console, because anyone who reaches it can speak as any person. */
export function consoleFaults(own: Tree, whole: Tree): readonly Fault[] {
  const path = ['server', 'host'];
  const host = valueAt(whole, path);
  if (typeof host !== 'string' || isLoopback(host) || own.token !== undefined) return [];
  return [
    {
      path,
      what: `opens the console to other machines ("${host}") without a token`,
      cure: 'Set PARLEY_CONSOLE_TOKEN (or PARLEY_CONSOLE_TOKEN_FILE), or listen on 127.0.0.1.',
      code: 'console-token-missing',
    },
  ];
}
