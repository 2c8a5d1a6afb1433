/** The console's settings, and a check of how they fit the other settings. */

import { z } from 'zod';
import type { Fault, Tree } from '../../src/kit/ladder.ts';
import { address, atLeast, type Environment, isLoopback, secretSetting, valueAt } from '../../src/kit.ts';

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
  .describe('A person that users of the console can write as');

/** Minimum characters of the token. Guessing is also slowed down at sign-in. */
const TOKEN_CHARACTERS = 16;
const TOKEN_CURE =
  'Set PARLEY_CONSOLE_TOKEN to a longer token, such as the output of `openssl rand -hex 16`.';

const claim = z.string().min(1).max(200);

const signIn = (environment: Environment) =>
  z
    .strictObject({
      issuer: address
        .refine((url) => isSafe(url), {
          error: 'must begin with https, because a password or a token would cross the network unencrypted',
        })
        .describe('Address of the OpenID Connect provider, exactly as `issuer` in its metadata'),
      clientId: z
        .string()
        .min(1)
        .describe('Id of the client that the provider has registered for the console'),
      clientSecret: secretSetting(
        environment,
        'Secret of the client; absent if the provider has registered a public client',
      ).optional(),
      scopes: z
        .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be the name of a scope'))
        .refine((scopes) => scopes.includes('openid'), { error: 'must contain openid' })
        .default(['openid', 'profile', 'email'])
        .describe('Scopes to request'),
      claims: z
        .strictObject({
          name: claim.default('name').describe('Claim with the name that people see'),
          email: claim
            .default('email')
            .describe('Claim with the e-mail address, which maps the person to a platform account'),
          groups: claim
            .optional()
            .describe('Claim with the list of groups; if absent, people have no groups'),
        })
        .prefault({})
        .describe('Names of the claims that describe a person'),
      trustEmail: z
        .boolean()
        .default(false)
        .describe(
          'Whether to trust e-mail addresses without the claim email_verified. Set it to true only if people cannot change their address at the provider',
        ),
    })
    .describe(
      'Sign-in with an OpenID Connect provider, so that each person uses the console under their own name',
    );

/** True if the address is https, or on this machine. */
const isSafe = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === 'https:' || isLoopback(parsed.hostname));
};

export const consoleSettings = (environment: Environment) =>
  z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether the built-in console is served'),
      token: secretSetting(
        environment,
        'Token that people enter to open the console, at least 16 characters; required if other machines can reach the console',
      )
        .superRefine(atLeast(TOKEN_CHARACTERS, TOKEN_CURE))
        .optional(),
      signIn: signIn(environment).optional(),
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
        .describe('People that users of the console can write as; if absent, four demonstration people'),
    })
    .describe('The built-in console');

export type ConsoleSettings = z.output<ReturnType<typeof consoleSettings>>;

/** Requires access control if other machines can reach the console, and refuses settings that exclude each other. */
export function consoleFaults(own: Tree, whole: Tree): readonly Fault[] {
  return [...openFaults(own, whole), ...signInFaults(own, whole), ...peopleFaults(own)];
}

function openFaults(own: Tree, whole: Tree): readonly Fault[] {
  const path = ['server', 'host'];
  const host = valueAt(whole, path);
  const open = own.token === undefined && own.signIn === undefined;
  if (typeof host !== 'string' || isLoopback(host) || !open) return [];
  return [
    {
      path,
      what: `opens the console to other machines ("${host}") without a sign-in and without a token`,
      cure: 'Set console.signIn or PARLEY_CONSOLE_TOKEN (or PARLEY_CONSOLE_TOKEN_FILE), or listen on 127.0.0.1.',
      code: 'console-token-missing',
    },
  ];
}

function signInFaults(own: Tree, whole: Tree): readonly Fault[] {
  if (own.signIn === undefined) return [];
  const publicUrl = valueAt(whole, ['server', 'publicUrl']);
  const path = ['console', 'signIn'];
  const faults: Fault[] = [];
  if (own.token !== undefined)
    faults.push({
      path: ['console', 'token'],
      what: 'is set together with console.signIn, but the token would let people in without a name',
      cure: 'Remove one of them.',
    });
  if (typeof publicUrl !== 'string')
    faults.push({
      path,
      what: 'needs server.publicUrl, because the provider sends people back to that address',
      cure: 'Set PARLEY_PUBLIC_URL to the address under which people open the console.',
    });
  else if (!isSafe(publicUrl))
    faults.push({
      path: ['server', 'publicUrl'],
      what: 'must begin with https if people sign in to the console',
      cure: 'Put the console behind https, and set PARLEY_PUBLIC_URL to that address.',
    });
  return faults;
}

/**
 * Refuses a list of people together with a sign-in, and more than one person together with a token, because nobody can
 * then choose whom to speak as.
 */
function peopleFaults({ people, signIn: provider, token }: Tree): readonly Fault[] {
  if (!Array.isArray(people)) return [];
  const path = ['console', 'people'];
  const cure = 'Remove console.people.';
  if (provider !== undefined)
    return [
      {
        path,
        what: 'is set together with console.signIn, but people who sign in come from the identity provider',
        cure,
      },
    ];
  if (token === undefined || people.length < 2) return [];
  return [
    {
      path,
      what: `lists ${people.length} people, but they would share one token, so the console could not tell them apart`,
      cure: 'Keep one person, or set console.signIn so that each person signs in.',
    },
  ];
}
