/** Reads the people and rooms that an operator names on the command line and in expectations. */

import { z } from 'zod';
import { faultLine } from '../config/faults.ts';
import { readConfigFile } from '../config/file.ts';
import { kinds, ruleActions, standings } from '../core/access/rules.ts';
import { BridgeError, usage } from '../errors.ts';

/** A person who wants to do something, and the place. The rules decide whether this person may do it. */
export type Asker = ReturnType<typeof askerOf>;

export interface AskerOptions {
  readonly action?: string;
  readonly standing?: string;
  readonly kind?: string;
  readonly email?: string;
  /** Groups that the person's sign-in reports. */
  readonly group?: readonly string[];
}

interface Names {
  readonly person: string;
  readonly agent?: string | undefined;
  readonly room: string;
}

/**
 * Returns the asker; `named` is the person as the operator wrote it. Throws `usage` if a name or an option is invalid.
 * @param channels names of all channels
 */
export function askerOf({ person, agent, room }: Names, options: AskerOptions, channels: readonly string[]) {
  const { action = 'ask', standing = 'member', kind = 'room', email, group } = options;
  const [channel = '', ...rooms] = room.split('/');
  const [tenant, id] = rooms.length === 2 ? rooms : [undefined, rooms[0]];
  if (channel === '' || rooms.length > 2 || rooms.includes('')) {
    throw usage(
      `"${room}" is not a room. Write CHANNEL/ROOM or CHANNEL/WORKSPACE/ROOM, such as slack/C0LEGAL.`,
    );
  }
  oneOf(channels, channel, 'channel');
  const own = person.includes('@') ? { id: '', email: person } : { id: idOf(person, channel) };
  const subject = {
    ...own,
    standing: oneOf(standings, standing, 'standing'),
    ...(email !== undefined && { email }),
    ...(group !== undefined && { groups: group }),
  };
  const place = { channel, tenant, room: id, kind: oneOf(kinds, kind, 'kind') };
  return {
    named: person,
    subject,
    action: oneOf(ruleActions, action, 'action'),
    place: { ...present(place), agent },
  };
}

/**
 * Returns the id in `person:CHANNEL/ID` or `person:CHANNEL/WORKSPACE/ID`. Returns any other text unchanged, as an id.
 */
function idOf(person: string, channel: string): string {
  const [, of, id] = /^person:([^/]+)\/(?:[^/]+\/)?([^/]+)$/.exec(person) ?? [];
  if (of !== undefined && of !== channel) {
    throw usage(`${person} is a person of ${of}, but the room is in ${channel}.`);
  }
  return id ?? person;
}

function oneOf<Value extends string>(known: readonly Value[], value: string, what: string): Value {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw usage(`There is no ${what} "${value}". Known: ${known.join(', ')}.`);
}

function present<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Values]?: NonNullable<Values[Key]> };
}

/** A decision that an operator expects of the rules. */
export interface Expectation {
  readonly asker: Asker;
  readonly allowed: boolean;
  /** Where the expectation is written, such as `rules.test.yaml:3`. */
  readonly place: string;
}

const expectationSchema = z.strictObject({
  expect: z.enum(['allow', 'deny']),
  person: z.string().min(1),
  room: z.string().min(1),
  agent: z.string().min(1).optional(),
  action: z.enum(ruleActions).optional(),
  standing: z.enum(['member', 'guest', 'external', 'bot', 'unproven']).optional(),
  kind: z.enum(kinds).optional(),
  email: z.string().min(1).optional(),
  groups: z.array(z.string()).optional(),
});

/** Names of all agents and channels. */
export interface Known {
  readonly agents: readonly string[];
  readonly channels: readonly string[];
}

/** Maximum size of a file of expectations, in bytes: that of a rules file. */
const FILE_BYTES = 4 * 1024 * 1024;

/** Reads a file of expectations. Throws `config-invalid` with all faults and their lines. */
export async function readExpectations(file: string, known: Known): Promise<readonly Expectation[]> {
  const { tree, faults: broken, digest, placeOf } = readConfigFile(file, FILE_BYTES);
  if (digest === undefined) throw new BridgeError('config-invalid', `The file ${file} cannot be read.`);
  const [fault] = broken.filter(({ subject }) => subject === 'the line');
  if (fault !== undefined)
    throw new BridgeError('config-invalid', faultLine({ ...fault, place: withoutColumn(fault.place) }));
  const list = z.strictObject({ expectations: z.array(z.unknown()).min(1) }).safeParse(tree);
  if (!list.success) {
    const cure = 'Write "expectations:" and a list of lines such as { expect: allow, person: …, room: … }.';
    throw new BridgeError('config-invalid', `${file}: has no expectations. ${cure}`);
  }
  const read = list.data.expectations.map((each, index) =>
    readOne(each, withoutColumn(placeOf(['expectations', index])), known),
  );
  const faults = read.flatMap((each) => (typeof each === 'string' ? [each] : []));
  if (faults.length > 0) throw new BridgeError('config-invalid', faults.join('\n'));
  return read.flatMap((each) => (typeof each === 'string' ? [] : [each]));
}

const withoutColumn = (place: string): string => place.replace(/:\d+$/, '');

/** Returns the expectation, or a message that says what is wrong with it. */
function readOne(value: unknown, place: string, { agents, channels }: Known): Expectation | string {
  const { success, data, error } = expectationSchema.safeParse(value);
  if (!success) {
    return `${place}: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ')}`;
  }
  const { expect, person, room, agent, groups, ...options } = data;
  if (agent !== undefined && !agents.includes(agent)) {
    return `${place}: agent names "${agent}", which is not configured. Known: ${agents.join(', ')}.`;
  }
  try {
    const given = { ...present(options), ...(groups && { group: groups }) };
    const asker = askerOf({ person, agent, room }, given, channels);
    return { asker, allowed: expect === 'allow', place };
  } catch (thrown) {
    if (thrown instanceof BridgeError) return `${place}: ${thrown.message}`;
    throw thrown;
  }
}
