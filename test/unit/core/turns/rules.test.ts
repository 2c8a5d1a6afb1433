/** Tests that the rules decide in running turns: who may ask which agent, save, search and undo, and how often. */

import { afterEach, describe, expect, test } from 'vitest';
import { type CompiledRules, compileRules } from '../../../../src/core/access/compile.ts';
import type { Quota, Rule } from '../../../../src/core/access/rules.ts';
import type { Library } from '../../../../src/core/agents/library.ts';
import { agentName, type TurnId } from '../../../../src/core/ids.ts';
import type { Message } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

const rule = (effect: Rule['effect'], over: Partial<Rule> = {}): Rule => ({
  ...{ effect, actions: ['ask'], who: ['everyone'], place: 'rules.yaml:1' },
  ...over,
});
const quota = (per: Quota['per'], questions: number, over: Partial<Quota> = {}): Quota => ({
  ...{ id: per, per, questions, every: 'hour', who: ['everyone'], place: 'rules.yaml:9' },
  ...over,
});
const rulesOf = (rules: readonly Rule[], quotas: readonly Quota[] = []): CompiledRules =>
  compileRules({ rules, quotas, groups: new Map([['tax', ['claim:Tax', 'bo@acme.example']]]) });

const player = (name: string) => createScriptedAgent({ name, script: () => [{ say: `I am ${name}.` }] });

function open(rules: CompiledRules, options: Partial<WorldOptions> = {}) {
  const force = { rules };
  const agents = { books: player('books'), tax: player('tax') };
  world = createWorld({ agents: Object.values(agents), rules: () => force.rules, ...options });
  return { ...agents, force };
}

const documentOf = (turn: TurnId) => seen(world.channel, turn).document;
let count = 0;
async function say(process: Process, text: string, over: Partial<Message> & { lane?: string } = {}) {
  count += 1;
  const turn = await ask(process, text, { id: `m${count}`, ...over });
  await world.clock.pass(2_000);
  return documentOf(turn);
}
/** Returns the audit's records of acts and ends of turns. */
const audited = ({ audit }: Process) => audit.page({ from: 0, to: Number.MAX_SAFE_INTEGER }, 100);
const noticeOf = async (said: ReturnType<typeof say>) => (await said).notices[0]?.text;
const inTax = person({ id: 'eve', groups: ['Tax'] });

describe('the rules decide who may ask', () => {
  const some = rulesOf([
    rule('allow', { who: ['group:tax'], agents: ['tax'] }),
    rule('deny', { agents: ['tax'] }),
    rule('allow', { who: ['member'], kinds: ['room'] }),
  ]);

  test('an agent, and the refusal names the agents that the person may ask', async () => {
    const { tax } = open(some);
    const process = await world.boot();
    const toTax = { agent: agentName('tax') };
    expect(await noticeOf(say(process, 'Who?', toTax))).toMatch(
      /^You are not allowed to ask the agent tax here\. You can ask: books\./,
    );
    expect(await audited(process)).toMatchObject([
      { action: 'ask', outcome: 'refused', person: 'ada', agent: 'tax', rule: 'rules.yaml:1' },
      { action: 'ask', outcome: 'failed', person: 'ada', questionChars: 4 },
    ]);
    expect((await say(process, 'Who?', { ...toTax, sender: inTax })).text).toBe('I am tax.');
    const byMail = person({ id: 'bo', email: 'Bo@acme.example' });
    expect((await say(process, 'Who?', { ...toTax, sender: byMail })).text).toBe('I am tax.');
    expect(tax.askings).toHaveLength(2);
  });

  test('in a kind of room', async () => {
    const { books } = open(some);
    const process = await world.boot();
    const direct = thread({ kind: 'direct', key: 't1' });
    expect(await noticeOf(say(process, 'Who?', { thread: direct }))).toMatch(
      /^You are not allowed to ask agents here\./,
    );
    expect((await say(process, 'Who?')).text).toBe('I am books.');
    expect(books.askings).toHaveLength(1);
  });

  test('also in the middle of a thread, as soon as they change', async () => {
    const { force, books } = open(some);
    const process = await world.boot();
    expect((await say(process, 'Who?')).text).toBe('I am books.');
    force.rules = rulesOf([rule('deny', { who: ['person:memory/ada'] }), rule('allow')]);
    expect(await noticeOf(say(process, 'And now?'))).toMatch(/^You are not allowed to ask agents here\./);
    expect((await say(process, 'And me?', { sender: inTax })).text).toBe('I am books.');
    expect(books.askings).toHaveLength(2);
  });

  test('which agents are listed and may be chosen', async () => {
    open(some);
    const process = await world.boot();
    expect((await say(process, 'agents')).text).not.toContain('**tax**');
    expect((await say(process, 'agents', { sender: inTax })).text).toContain('**tax**');
    expect((await say(process, 'use tax')).text).toMatch(/^You are not allowed to ask the agent tax here/);
    expect((await say(process, 'Who?')).text).toBe('I am books.');
    expect((await say(process, 'use tax', { sender: inTax })).text).toContain('**tax** answers');
    // The first person may not ask the thread's new agent, but can still choose another agent.
    expect(await noticeOf(say(process, 'Who?'))).toMatch(/^You are not allowed to ask the agent tax/);
    expect((await say(process, 'use books')).text).toContain('**books** answers');
  });
});

describe('the rules decide about documents', () => {
  function shelf() {
    const held = new Set<string>();
    const library: Library = {
      search: async () => [],
      files: async () => ({ files: [], total: 0 }),
      workspaces: async () => [],
      addPair: async () => 'stored',
      async add() {
        held.add('file');
        return { id: 'file', workspace: 'w1', known: false };
      },
      stateOf: async () => 'ready',
      remove: async (id) => void held.delete(id),
    };
    return { held, library };
  }
  const plan = { id: 'plan', name: 'plan.md', type: 'text/markdown', bytes: 10 };
  const all = rulesOf([
    rule('allow', { who: ['group:tax'], actions: ['save-files', 'search'] }),
    rule('allow', { who: ['person:memory/admin'], actions: ['administer'] }),
    rule('allow'),
  ]);

  test('who may save and search them, and who may undo for others', async () => {
    const { held, library } = shelf();
    open(all, { library, room: { workspace: 'Manuals' } });
    world.channel.files.set('plan', new TextEncoder().encode('# The plan'));
    const process = await world.boot();
    expect(await noticeOf(say(process, 'See this', { files: [plan] }))).toBe(words.notSaved('plan.md'));
    expect((await say(process, 'search plan')).text).toBe(words.mayNot.search);
    expect((await say(process, 'files')).text).toBe(words.mayNot.search);
    expect(held.size).toBe(0);
    expect(await noticeOf(say(process, 'See this', { files: [plan], sender: inTax }))).toMatch(
      /added to Manuals/,
    );
    expect((await say(process, 'files', { sender: inTax })).text).toMatch(/no files in Manuals/);
    expect((await say(process, 'undo')).text).toBe(words.notYoursToUndo);
    expect(held.size).toBe(1);
    expect((await say(process, 'undo', { sender: person({ id: 'admin' }) })).text).toMatch(/^Removed: plan/);
    expect(held.size).toBe(0);
    const acts = (await audited(process)).filter(({ action }) => !['ask', 'stop'].includes(action));
    expect(acts).toMatchObject([
      { action: 'save-files', outcome: 'refused', person: 'ada', files: 1, detail: 'Manuals' },
      { action: 'save-files', outcome: 'done', person: 'eve', files: 1, detail: 'Manuals' },
      { action: 'administer', outcome: 'refused', person: 'ada', files: 1 },
      { action: 'administer', outcome: 'done', person: 'admin', files: 1, detail: 'undo file' },
    ]);
    expect(JSON.stringify(acts)).not.toContain('plan');
  });
});

describe('a quota', () => {
  test('refuses a person’s next question with the limit and the time to wait, until the period ends', async () => {
    const { books } = open(rulesOf([rule('allow')], [quota('person', 2)]));
    const process = await world.boot();
    for (const text of ['one', 'two']) expect((await say(process, text)).text).toBe('I am books.');
    const refused = await say(process, 'three');
    expect(refused).toMatchObject({ state: 'failed' });
    expect(refused.notices[0]?.text).toMatch(
      /^The limit is 2 questions an hour for each person\. Please ask again in 60 minutes\./,
    );
    expect((await say(process, 'help')).text).toMatch(/^Ask \*\*books\*\*/);
    expect((await say(process, 'four', { sender: inTax })).text).toBe('I am books.');
    await world.clock.pass(3_600_000);
    expect((await say(process, 'five')).text).toBe('I am books.');
    expect(books.askings).toHaveLength(4);
  });

  test('of a room and of an agent counts everyone’s questions there, and one refused by another quota not at all', async () => {
    open(
      rulesOf(
        [rule('allow')],
        [
          quota('person', 1, { who: ['person:memory/ada'] }),
          quota('room', 3),
          quota('agent', 1, { agents: ['tax'] }),
        ],
      ),
    );
    const process = await world.boot();
    const tax = { agent: agentName('tax'), sender: inTax };
    expect((await say(process, 'one', tax)).text).toBe('I am tax.');
    expect(await noticeOf(say(process, 'two', tax))).toMatch(
      /^The limit is 1 question an hour for this agent\./,
    );
    expect((await say(process, 'three', { lane: 'a' })).text).toBe('I am books.');
    expect(await noticeOf(say(process, 'four', { lane: 'a' }))).toMatch(/for each person\./);
    expect((await say(process, 'five', { lane: 'b', sender: inTax })).text).toBe('I am books.');
    expect(await noticeOf(say(process, 'six', { lane: 'b', sender: inTax }))).toMatch(
      /3 questions an hour for each room\./,
    );
    const elsewhere = { thread: thread({ room: 'other', key: 'c' }), sender: inTax };
    expect((await say(process, 'seven', elsewhere)).text).toBe('I am books.');
  });

  test('holds after a restart', async () => {
    open(rulesOf([rule('allow')], [quota('person', 1, { every: 'day' })]));
    const first = await world.boot();
    await say(first, 'one');
    await first.stop(0);
    expect(await noticeOf(say(await world.boot(), 'two'))).toMatch(
      /^The limit is 1 question a day for each person\. Please ask again in 24 hours\./,
    );
  });

  test('lets questions pass while the store fails', async () => {
    open(rulesOf([rule('allow')], [quota('person', 1)]));
    const process = await world.boot({
      wrapKeyed: (keyed) => ({ ...keyed, change: () => Promise.reject(new Error('disk full')) }),
    });
    for (const text of ['one', 'two']) expect((await say(process, text)).text).toBe('I am books.');
  });
});
