import { z } from 'zod';
import { claimKey, kinds, personKey, ruleActions, standings } from '../core/access/rules.ts';
import { numberSetting } from '../settings/values.ts';

/** Maximum number of entries: in one list of a rule, in `rules`, and in `quotas`. */
const LIST = 1_000;
const RULES = 20_000;
const QUOTAS = 200;

const MUST_BE = 'must be a text or a list of texts';

/** One value, or a list of values. */
const oneOrMore = <S extends z.ZodType>(item: S, description: string) =>
  z
    .union([item, z.array(item).min(1).max(LIST)], MUST_BE)
    .transform((value): z.output<S>[] => (Array.isArray(value) ? value : [value]))
    .describe(description);

const EMAIL = z.email();
const WORDS: readonly string[] = ['everyone', ...standings];
const WHO_CURE = `Write one of ${WORDS.join(', ')}, group:NAME, person:CHANNEL/ID, person:CHANNEL/WORKSPACE/ID, or an e-mail address.`;
const MEMBER_CURE = 'Write an e-mail address, person:CHANNEL/ID, person:CHANNEL/WORKSPACE/ID, or claim:NAME.';

/** Returns the key of a person or an e-mail address; undefined for another text. */
function keyOfOne(text: string): string | undefined {
  const [, channel, ...ids] = /^person:([^/\s]+)\/([^/\s]+)(?:\/([^/\s]+))?$/.exec(text) ?? [];
  if (channel !== undefined) return personKey(channel, ...ids.filter((id) => id !== undefined).map(decoded));
  return EMAIL.safeParse(text).success ? text.toLowerCase() : undefined;
}

/** Ids that contain a slash are written with %2F. */
const decoded = (id: string): string => id.replaceAll(/%2F/gi, '/').replaceAll('%25', '%');

const keyed = (read: (text: string) => string | undefined, cure: string) =>
  z.string().transform((text, context) => {
    const key = read(text.trim());
    if (key !== undefined) return key;
    context.addIssue({ code: 'custom', message: `is "${text.slice(0, 60)}"`, params: { cure } });
    return z.NEVER;
  });

const person = keyed(
  (text) => (WORDS.includes(text) || /^group:\S+$/.test(text) ? text : keyOfOne(text)),
  WHO_CURE,
);
const member = keyed((text) => {
  const claim = /^claim:(.+)$/.exec(text)?.[1];
  return claim === undefined ? keyOfOne(text) : claimKey(claim);
}, MEMBER_CURE);

const where = z
  .strictObject({
    channel: oneOrMore(z.string().min(1), 'Channels, such as slack').optional(),
    tenant: oneOrMore(z.string().min(1), 'Workspaces or organizations, by id').optional(),
    room: oneOrMore(z.string().min(1), 'Rooms, by id').optional(),
    kind: oneOrMore(
      z.enum(kinds),
      'Kinds of rooms: direct chats with the bridge (direct), group chats (group), channels (room)',
    ).optional(),
  })
  .describe('Places to which the line of the rules applies; if absent, all places');

const conditions = {
  who: oneOrMore(
    person,
    'People to whom the line applies: everyone, member, guest, external, bot, unproven, group:NAME, person:CHANNEL/ID, person:CHANNEL/WORKSPACE/ID, or an e-mail address',
  ).default(['everyone']),
  agent: oneOrMore(z.string().min(1), 'Agents to which the line applies; if absent, all').optional(),
  where: where.optional(),
};

const actions = (verb: string) =>
  oneOrMore(z.enum(ruleActions), `What the line ${verb}: ${ruleActions.join(', ')}`).optional();

const rule = z
  .strictObject({ allow: actions('allows'), deny: actions('denies'), ...conditions })
  .superRefine(({ allow, deny }, context) => {
    if ((allow === undefined) !== (deny === undefined)) return;
    const message = allow === undefined ? 'neither allows nor denies anything' : 'both allows and denies';
    context.addIssue({ code: 'custom', message, params: { cure: 'Write either allow or deny.' } });
  })
  .describe('One rule; the first rule that matches decides');

const quota = z
  .strictObject({
    per: z
      .enum(['person', 'room', 'agent'])
      .describe('Questions are counted for each person, for each room or for each agent'),
    questions: numberSetting(1, 1_000_000, 'Maximum questions in the period'),
    every: z.enum(['minute', 'hour', 'day']).describe('The period, which begins with its first question'),
    ...conditions,
  })
  .describe('One quota; of all quotas with the same `per`, only the first that matches applies');

export const rulesSchema = z.strictObject({
  groups: z
    .record(
      z
        .string()
        .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits, dots, dashes')
        .describe('Name of the group'),
      z.array(member).min(1).max(10_000),
    )
    .default({})
    .describe(
      'Members of each group: e-mail addresses, person:CHANNEL/ID, or claim:NAME for a group of the sign-in',
    ),
  rules: z.array(rule).min(1).max(RULES).describe('The rules, in the order in which they are read'),
  quotas: z.array(quota).max(QUOTAS).default([]).describe('How many questions may be asked'),
});

export type RulesFile = z.output<typeof rulesSchema>;

/** Returns the JSON schema of a rules file, for editors. */
export function rulesJsonSchema(): object {
  const schema = z.toJSONSchema(rulesSchema, { io: 'input', target: 'draft-7' });
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Rules of Parley', ...schema };
}
