import { describe, expect, test } from 'vitest';
import type { Library } from '../../../../src/core/agents/library.ts';
import { runCommand } from '../../../../src/core/commands/commands.ts';
import type { CommandContext } from '../../../../src/core/commands/context.ts';
import { commandList, parseCommand } from '../../../../src/core/commands/reading.ts';
import { agentName, type TurnId } from '../../../../src/core/ids.ts';
import type { Source } from '../../../../src/core/reply.ts';
import type { KeyValues } from '../../../../src/core/stores/keyed.ts';
import { createThreadMemory, type ThreadMemory } from '../../../../src/core/stores/thread-memory.ts';
import type { CoreEvent } from '../../../../src/core/turn-events.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { plain } from '../../../../src/reply/markdown/plain.ts';
import { permissionsOf } from '../../../fakes/permissions.ts';
import { agent, person, source, thread } from '../../../fakes/samples.ts';

describe('recognition of commands', () => {
  test.each([
    ['help', { name: 'help' }],
    [' /HELP ', { name: 'help' }],
    ['new', { name: 'new' }],
    ['Stop', { name: 'stop' }],
    ['/agents', { name: 'agents' }],
    ['whoami', { name: 'whoami' }],
    ['sources', { name: 'sources' }],
    ['use painter', { name: 'use', agent: 'painter' }],
    ['/use @painter', { name: 'use', agent: 'painter' }],
    ['use', { name: 'agents' }],
    ['language', { name: 'language' }],
    ['Language de-AT', { name: 'language', language: 'de-AT' }],
    ['/search the warranty of chairs', { name: 'search', query: 'the warranty of chairs' }],
    ['search', { name: 'search' }],
    ['files', { name: 'files' }],
    ['why', { name: 'why' }],
    ['link', { name: 'link', isConfirmed: false }],
    ['/link abcd-EFGH-2345', { name: 'link', code: 'abcd-EFGH-2345', isConfirmed: false }],
    ['link ABCD-EFGH-2345 confirm', { name: 'link', code: 'ABCD-EFGH-2345', isConfirmed: true }],
    ['unlink', { name: 'unlink' }],
  ])('%j is a command', (text, command) => {
    expect(parseCommand(text)).toEqual(command);
  });

  test.each([
    '',
    'help me',
    'what is new',
    'stop it',
    'use two words',
    'the sources',
    '//help',
    'help\nme',
    'why?',
    'why is that',
    'language of the manual',
    'link budget',
    'link ABCD-EFGH please',
    'search\nthe manual\nfor chairs',
  ])('%j is a question', (text) => {
    expect(parseCommand(text)).toBeUndefined();
  });
});

test('the list contains each command once, and only commands', () => {
  const listed = commandList.map(({ say }) => parseCommand(say.replace(/<\w+>/, 'word'))?.name);
  expect(listed.toSorted()).toEqual([
    'agents',
    'files',
    'help',
    'instead',
    'language',
    'link',
    'listen',
    'new',
    'quiet',
    'search',
    'sources',
    'stop',
    'undo',
    'unlink',
    'use',
    'whoami',
    'why',
  ]);
});

describe('commands', () => {
  const books = agent('books');
  const painter = agent('painter', { sees: { images: true } });
  const empty: KeyValues = {
    get: async () => undefined,
    set: async () => undefined,
    delete: async () => undefined,
  };
  const contextOf = (
    { library, ...over }: Partial<CommandContext> & { readonly library?: Library } = {},
    kept: Partial<ThreadMemory> = {},
  ) => {
    const done: string[] = [];
    const here = { ...books, ...(library && { library }) };
    const made: CommandContext = {
      directory: {
        agents: new Map([here, painter].map((each) => [each.name, each])),
        fallback: agentName('books'),
      },
      person: person(),
      thread: thread(),
      permissions: permissionsOf({}, ['books', 'painter']),
      noteAct: async () => undefined,
      agent: here,
      signal: new AbortController().signal,
      memory: {
        ...createThreadMemory(empty),
        forgetUploads: async () => void done.push('forget uploads'),
        speak: async (_, language) => void done.push(`speak ${language}`),
        chooseAgent: async (_, chosen, by) => void done.push(`use ${chosen} for ${by}`),
        ...kept,
      },
      lastAnswer: async () => undefined,
      forget: async () => void done.push('forget'),
      ...over,
    };
    return { made, done };
  };

  test.each([
    ['direct', false],
    ['group', true],
    ['room', true],
  ] as const)('help in a %s chat lists listen: %s', async (kind, lists) => {
    const { made } = contextOf();
    const { text } = await runCommand({ name: 'help' }, { ...made, thread: { ...made.thread, kind } });
    expect([text.includes('`listen`'), text.includes('`quiet`')]).toEqual([lists, lists]);
  });

  test('help names no command about documents if the bridge cannot read them, and says why', async () => {
    const { text } = await runCommand({ name: 'help' }, contextOf().made);
    expect(text).not.toMatch(/`(search|files|undo)`/);
    expect(text).toContain('`platform.credentials.open`');
  });

  test('help names every command', async () => {
    const { text } = await runCommand({ name: 'help' }, contextOf({ library: library() }).made);
    expect(text).toContain('**books**');
    const off = ['link', 'unlink'];
    for (const { say } of commandList.slice(1).filter((each) => !off.includes(each.say)))
      expect(text).toContain(`\`${say.split(' ')[0]}\``);
    expect(text).toContain('- `use` *AGENT* to choose who answers from now on');
    // Plain text, as in terminals and notifications, shows the placeholder without italics.
    expect(plain(text)).toContain('- search QUERY to search');
    expect(text).not.toMatch(/[<>]/);
  });

  test('agents lists all agents, marks the thread’s own, and shows which accept images', async () => {
    const { text } = await runCommand({ name: 'agents' }, contextOf().made);
    expect(text).toContain('**books** *(answers here)*: Knows about books.');
    expect(text).toContain('**painter**: Knows about painter. Accepts images.');
    expect(text).not.toMatch(/\*\*books\*\*.*Accepts images\./);
  });

  test('agents ends every description with a full stop', async () => {
    const shows = { ...agent('mirror', { sees: { images: true } }), description: 'Shows pictures back' };
    const asks = { ...agent('asker'), description: 'Who are you?' };
    const agents = new Map([shows, asks].map((each) => [each.name, each]));
    const { text } = await runCommand(
      { name: 'agents' },
      contextOf({
        directory: { agents, fallback: agentName('mirror') },
        permissions: permissionsOf({}, ['mirror', 'asker']),
      }).made,
    );
    expect(text).toContain('**mirror**: Shows pictures back. Accepts images.\n');
    expect(text).toContain('**asker**: Who are you?\n');
  });

  test('whoami shows the account of the asker', async () => {
    expect((await runCommand({ name: 'whoami' }, contextOf().made)).text).toContain(
      'the agent’s own account',
    );
    const { text } = await runCommand({ name: 'whoami' }, contextOf({ account: 'ada@acme' }).made);
    expect(text).toContain('**Ada** (`ada`)');
    expect(text).toContain('**ada@acme**');
  });

  test('whoami in a room shows the account for everyone and the account in private', async () => {
    const { text } = await runCommand(
      { name: 'whoami' },
      contextOf({ account: 'room@acme', own: 'ada@acme' }).made,
    );
    expect(text).toContain('answers everyone here as the platform account **room@acme**');
    expect(text).toContain('In private it answers you as **ada@acme**');
  });

  test('a hostile name cannot format whoami (attack S30)', async () => {
    const made = contextOf({ person: { ...person(), name: 'A**d** [x](https://evil.example)' } }).made;
    expect(plain((await runCommand({ name: 'whoami' }, made)).text)).toContain(
      'You are A**d** [x](https://evil.example) (ada).',
    );
  });

  test.each(
    (['whoami', 'new', 'language', 'help', 'agents'] as const).flatMap((name) => [
      { name, may: ['painter'] },
      { name, may: [] },
    ]),
  )('$name names only agents that the person may ask: $may', async ({ name, may }) => {
    const { made, done } = contextOf();
    const permissions = { ...made.permissions, agents: () => may };
    const { text } = await runCommand({ name }, { ...made, permissions });
    expect(text).not.toContain('books');
    expect(text.includes('painter')).toBe(may.length > 0);
    expect(done).toEqual([]);
  });

  test('an unknown name is answered with the agents that the person may ask', async () => {
    const { made } = contextOf();
    const permissions = { ...made.permissions, agents: () => ['painter'] };
    const { text } = await runCommand({ name: 'use', agent: 'book' }, { ...made, permissions });
    expect(text).toBe('There is no agent called "book" here. You can ask: painter.');
  });

  test('language explains if the agent’s interface accepts no language', async () => {
    const { takesLanguage: _, ...gateway } = books.gateway;
    const { made, done } = contextOf({ agent: { ...books, gateway } });
    for (const command of [{ name: 'language', language: 'de' }, { name: 'language' }] as const) {
      const { text } = await runCommand(command, made);
      expect(text).toContain('**books** has no language setting.');
    }
    expect(done).toEqual([]);
    expect((await runCommand({ name: 'help' }, made)).text).not.toContain('`language`');
  });

  test.each([
    ['a thread of a room', thread({ key: 'root' }), 'in this thread'],
    ['a thread of a group', thread({ key: 'root', kind: 'group' }), 'in this thread'],
    ['a group chat without threads', thread({ room: 'chat', key: 'chat', kind: 'group' }), 'in this chat'],
    ['a direct room', thread({ kind: 'direct' }), 'here'],
  ])('use in %s names its scope', async (_, where, says) => {
    const { made } = contextOf({ thread: where });
    const { text } = await runCommand({ name: 'use', agent: 'painter' }, made);
    expect(text).toBe(`From now on **painter** answers ${says}.`);
    expect((await runCommand({ name: 'agents' }, made)).text).toContain(`choose who answers ${says}`);
  });

  test('language sets a BCP 47 code, shows its name, resets it, and shows the current one', async () => {
    const { made, done } = contextOf({}, { language: async () => 'de-AT' });
    expect((await runCommand({ name: 'language', language: 'zh-hans' }, made)).text).toContain(
      '**books** is asked to answer in Simplified Chinese (`zh-Hans`) in this thread. Documents and quotations keep their own language.',
    );
    expect((await runCommand({ name: 'language', language: 'IT' }, made)).text).toContain('Italian (`it`)');
    expect((await runCommand({ name: 'language', language: 'auto' }, made)).text).toContain(
      '**books** chooses the language of its answers',
    );
    expect((await runCommand({ name: 'language' }, made)).text).toContain('Austrian German (`de-AT`)');
    expect(done).toEqual(['speak zh-Hans', 'speak it', 'speak undefined']);
  });

  test.each([
    'xx',
    'german',
    '*really*',
    'xx-DE',
    'e',
  ])('language %s is refused, with examples of known ones', async (said) => {
    const { made, done } = contextOf();
    const { text } = await runCommand({ name: 'language', language: said }, made);
    expect(text).toMatch(/is not a language that I know\./);
    expect(text).toContain('English (`en`)');
    expect(text).toContain('Chinese (`zh-CN`)');
    expect(done).toEqual([]);
  });

  const library = (over: Partial<Library> = {}): Library => ({
    search: async () => [],
    files: async () => ({ files: [], total: 0 }),
    workspaces: async () => [],
    addPair: async () => 'stored',
    add: async () => ({ id: '1', workspace: '2', known: false }),
    stateOf: async () => 'ready',
    remove: async () => undefined,
    ...over,
  });

  test('search and files name the operator’s setting if there is no library', async () => {
    for (const command of [{ name: 'search', query: 'chairs' }, { name: 'files' }] as const) {
      expect((await runCommand(command, contextOf().made)).text).toContain('platform.credentials.open');
    }
  });

  test('search shows title, link, score and passage of numbered sources in the room’s workspace', async () => {
    const calls: unknown[] = [];
    const rank = (value: number) => ({ kind: 'rank' as const, value });
    const search: Library['search'] = async (query, where, { account }) => {
      calls.push([query, where, account]);
      const fragments = [{ text: `The *warranty*\nof chairs ${'is long '.repeat(50)}` }];
      const link = 'https://docs.example/chairs (1).pdf';
      return [
        { source: source({ key: 'a', title: 'Chairs [draft].md', link, fragments }), score: rank(0.032787) },
        { source: source({ key: 'b', title: 'Tables', fragments: [] }), score: rank(0.016129) },
        { source: source({ key: 'c', title: 'Stools', fragments: [] }) },
      ];
    };
    const { made } = contextOf({ library: library({ search }), account: 'room@acme', workspace: 'Manuals' });
    const shown = await runCommand({ name: 'search', query: '*chairs*' }, made);
    expect(calls).toEqual([['*chairs*', { workspace: 'Manuals' }, 'room@acme']]);
    const [, , first, passage = '', last, ...others] = shown.text.split('\n');
    expect(first).toBe('1. **Chairs \\[draft\\].md** [1]\\');
    expect(passage).toMatch(/^ {3}The \\\*warranty\\\* of chairs is long .*…\\$/);
    expect(passage.length).toBeLessThan(260);
    // The link has its own label, because a title such as "chairs.md" looks like a host name that differs from the
    // link's.
    expect(last).toBe('   [Open](<https://docs.example/chairs%20(1).pdf>) · score 0.0328 (best result)');
    expect(others).toEqual([
      '2. **Tables** [2]\\',
      '   score 0.0161 (49 % of the best result)',
      '3. **Stools** [3]',
    ]);
    expect(shown.text).toContain('\\*chairs\\*');
    expect(shown.sources?.map(({ mark }) => mark)).toEqual([1, 2, 3]);
    expect(
      (await runCommand({ name: 'search', query: 'x' }, contextOf({ library: library() }).made)).text,
    ).toContain('No passages were found');
  });

  test.each([
    ['```sh\nnpm start\n```\nStarts it.', 'npm start Starts it.'],
    ['![The visitor pass](700001)\n\nShow it.', 'The visitor pass Show it.'],
    ['## Passes\n\n- One\n- Two', 'Passes One Two'],
    ['| Stripe | Who |\n|---|:-:|\n| Blue | Employee |', 'Stripe · Who Blue · Employee'],
    ['See [the **guide**](https://docs.example/g).', 'See the guide.'],
  ])('search shows the passage %j as plain words', async (text, words) => {
    const found = [
      { source: source({ fragments: [{ text }] }), score: { kind: 'relevance' as const, value: 0.984 } },
    ];
    const { made } = contextOf({ library: library({ search: async () => found }) });
    const [, , , passage, last] = (await runCommand({ name: 'search', query: 'x' }, made)).text.split('\n');
    expect(passage).toBe(`   ${words}\\`);
    expect(last).toMatch(/^ {3}.*relevance 98 %$/);
  });

  test('files lists the newest files of the room’s workspace, or else the visible workspaces', async () => {
    const files = [
      { id: '1', name: 'new.pdf', state: 'indexing' as const },
      { id: '2', name: 'old.pdf', state: 'ready' as const, link: 'https://a.example/p?id=2' },
    ];
    const own = library({
      files: async (_, limit) => ({ files: files.slice(0, limit), total: 40 }),
      workspaces: async () => [
        { name: 'Manuals', files: 1 },
        { name: 'New-ones', files: 0 },
        { name: 'Drafts' },
      ],
    });
    const there = await runCommand({ name: 'files' }, contextOf({ library: own, workspace: 'Manuals' }).made);
    expect(there.text).toContain(
      '- new.pdf *(being indexed)*\n- [old.pdf](<https://a.example/p?id=2>)\n\nand 38 more.',
    );
    expect((await runCommand({ name: 'files' }, contextOf({ library: own }).made)).text).toContain(
      '- Manuals: one file\n- New-ones: no files yet\n- Drafts',
    );
    const empty = contextOf({ library: library(), workspace: 'Manuals' }).made;
    expect((await runCommand({ name: 'files' }, empty)).text).toContain('no files in Manuals');
  });

  test('why shows waits, times, identity, edits and sources, or that they expired', async () => {
    const turn = 't-123456789' as TurnId;
    const at = (at: number, name: CoreEvent['name'], detail: CoreEvent['detail'] = {}) => ({
      turn,
      at,
      name,
      detail,
    });
    const events = [
      at(0, 'kept'),
      at(2_000, 'claimed', { waitedMs: 2_000 }),
      at(2_010, 'routed', { agent: 'books', account: 'room@acme' }),
      at(2_020, 'asking', { session: true, images: 1 }),
      at(3_500, 'answering'),
      at(3_600, 'move'),
      at(3_900, 'move'),
      at(4_000, 'sources', { count: 3 }),
      at(4_250, 'settled', { chars: 120 }),
    ];
    const { text } = await runCommand(
      { name: 'why' },
      contextOf({ lastAnswer: async () => ({ turn, events }) }).made,
    );
    for (const said of [
      '**books** answered, using the platform account **room@acme**',
      'continued the same conversation',
      'one image',
      'waited 2.0 s',
      'first words came after 3.5 s',
      '120 characters took 4.3 s',
      'in 2 updates',
      '3 sources',
      'Reference t-123456',
    ]) {
      expect(text).toContain(said);
    }
    const atOnce = events.map((each) =>
      each.name === 'claimed' ? { ...each, detail: { waitedMs: 20 } } : each,
    );
    const quick = contextOf({ lastAnswer: async () => ({ turn, events: atOnce }) }).made;
    expect((await runCommand({ name: 'why' }, quick)).text).toContain('the question did not have to wait');
    const plain = events.map((each) =>
      each.name === 'routed' ? { ...each, detail: { agent: 'books' } } : each,
    );
    const asker = events.map((each) =>
      each.name === 'routed' ? { ...each, detail: { agent: 'books', asker: true } } : each,
    );
    const askers = contextOf({ lastAnswer: async () => ({ turn, events: asker }) }).made;
    expect((await runCommand({ name: 'why' }, askers)).text).toContain(
      '**books** answered, using the platform account of the person who asks',
    );
    const own = contextOf({ lastAnswer: async () => ({ turn, events: plain }) }).made;
    expect((await runCommand({ name: 'why' }, own)).text).toContain(
      '**books** answered, using the agent’s own account',
    );
    const short = [at(0, 'kept'), at(49, 'answering'), at(50, 'settled', { chars: 1 })];
    const fast = contextOf({ lastAnswer: async () => ({ turn, events: short }) }).made;
    const told = (await runCommand({ name: 'why' }, fast)).text;
    expect(told).toContain('came after 49 ms');
    expect(told).toContain('took 0.1 s');
    expect((await runCommand({ name: 'why' }, contextOf().made)).text).toContain('no answer here yet');
    const gone = contextOf({ lastAnswer: async () => ({ turn, events: [] }) }).made;
    expect((await runCommand({ name: 'why' }, gone)).text).toContain('no longer kept');
  });

  test('undo deletes what the same person shared, under the account of the upload', async () => {
    const removed: unknown[] = [];
    const remove: Library['remove'] = async (id, workspace, { account }) =>
      void removed.push([id, workspace, account]);
    const uploads = [{ id: '7', name: 'plan.pdf', workspace: 'Manuals' }];
    const undo = (by: string) => {
      const lastUploads = async () => ({ uploads, by, account: 'room@acme' });
      return contextOf({ library: library({ remove }) }, { lastUploads });
    };
    expect((await runCommand({ name: 'undo' }, undo('bo').made)).text).toContain('Only the person who added');
    expect(removed).toEqual([]);
    const own = undo('ada');
    expect((await runCommand({ name: 'undo' }, own.made)).text).toContain('plan.pdf');
    expect([removed, own.done]).toEqual([[['7', 'Manuals', 'room@acme']], ['forget uploads']]);
    expect((await runCommand({ name: 'undo' }, contextOf({ library: library() }).made)).text).toContain(
      'nothing to undo',
    );
  });

  test.each([
    ['platform-refused', 'no permission', 'The agent platform said: "no permission"'],
    ['platform-unconfirmed', undefined, 'did not confirm this'],
    ['platform-interrupted', undefined, 'The connection to the agent broke'],
  ] as const)('undo says what was not removed, and keeps it: %s', async (code, said, sentence) => {
    const uploads = ['7', '8', '9'].map((id) => ({ id, name: `${id}.pdf`, workspace: 'Manuals' }));
    const kept: unknown[] = [];
    const remove: Library['remove'] = async (id) => {
      if (id === '8') throw new BridgeError(code, 'refused', said === undefined ? {} : { said });
    };
    const { made, done } = contextOf(
      { library: library({ remove }) },
      {
        lastUploads: async () => ({ uploads, by: 'ada' }),
        keepUploads: async (_thread, left) => void kept.push(left.uploads.map(({ id }) => id)),
      },
    );
    const { text } = await runCommand({ name: 'undo' }, made);
    expect(text).toContain('Removed: 7.pdf. Not removed, as far as I know: 8.pdf, 9.pdf.');
    expect(text).toContain(sentence);
    expect([kept, done]).toEqual([[['8', '9']], []]);
  });

  test('new deletes the session', async () => {
    const { made, done } = contextOf();
    expect((await runCommand({ name: 'new' }, made)).text).toContain('new conversation with **books**');
    expect(done).toEqual(['forget']);
  });

  test('use ignores case; an unknown name changes nothing and lists all agents', async () => {
    const { made, done } = contextOf();
    expect((await runCommand({ name: 'use', agent: 'PAINTER' }, made)).text).toContain('**painter**');
    expect((await runCommand({ name: 'use', agent: 'nobody' }, made)).text).toContain('books, painter');
    expect(done).toEqual(['use painter for ada']);
  });

  test('sources shows the last sources again', async () => {
    const last: readonly Source[] = [source(), source({ key: 'b' })];
    const shown = await runCommand(
      { name: 'sources' },
      contextOf({}, { lastSources: async () => last }).made,
    );
    expect(shown.text).toContain('2 sources');
    expect(shown.sources).toBe(last);
    expect((await runCommand({ name: 'sources' }, contextOf().made)).text).toContain('has no sources');
  });

  test('stop finds no running turn, because intake has already stopped it', async () => {
    expect((await runCommand({ name: 'stop' }, contextOf().made)).text).toContain('No answer is running');
  });
});
