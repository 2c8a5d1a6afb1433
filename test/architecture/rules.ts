/** The project's rules that can be checked automatically. Each is a pure function from files to violations. */

import { posix } from 'node:path';
import { type Room, roomOf, rooms } from './rooms.ts';
import { isNode, type Node, type Parsed } from './source.ts';

/** Size limits. Functions may have four parameters because `ReplyWriter.after` needs all of its four. */
const FILE_LINES = 300;
const FUNCTION_LINES = 60;
const PARAMETERS = 4;

export type Rule = (files: readonly Parsed[]) => readonly string[];

const at = (file: Parsed, node: Node, what: string) => `${file.path}:${file.lineOf(node.start)} ${what}`;

/** Checks imports against the table of rooms. */
export const importTable: Rule = (files) =>
  files.flatMap((file) => {
    const room = roomOf(file.path);
    if (room === undefined) return [`${file.path} stands in no room`];
    return file.imports
      .filter((each) => !allowed(room, file.path, each.specifier))
      .map((each) => `${file.path}:${each.line} ${room.name} may not import ${each.specifier}`);
  });

function allowed(room: Room, path: string, specifier: string): boolean {
  if (specifier.startsWith('.')) return allowedFile(room, path, specifier);
  if (specifier.startsWith('node:'))
    return room.mayImport.some((may) => may === 'node:' || may === specifier);
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return room.mayImport.includes('*') || room.mayImport.includes(name);
}

function allowedFile(room: Room, path: string, specifier: string): boolean {
  const target = posix.join(posix.dirname(path), specifier);
  if (!/\.tsx?$/.test(target)) return target.startsWith(posix.dirname(path));
  const other = roomOf(target);
  return other !== undefined && (other === room || room.mayImport.includes(other.name));
}

/** The files of the kit that the package publishes. */
export const DOORS = ['src/kit.ts', 'src/kit/ladder.ts'];

/** The same as packages in channels import it; their tests may also import the entry for tests. */
const ENTRIES = ['parley/kit', 'parley/kit/ladder'];
const TEST_ENTRY = 'parley/testing';

/**
 * Adapters import the kit only as it is published, so that a channel from outside can do what they do. A package in
 * `channels` imports it by Parley's name, and no other file outside its own folder.
 */
export const oneKit: Rule = (files) =>
  files.flatMap((file) =>
    file.imports
      .filter(({ specifier }) => !isOpen(file.path, specifier))
      .map(({ specifier, line }) => `${file.path}:${line} imports ${specifier}, which is not published`),
  );

function isOpen(path: string, specifier: string): boolean {
  const target = posix.join(posix.dirname(path), specifier);
  if (path.startsWith('adapters/'))
    return !specifier.startsWith('.') || !target.startsWith('src/') || DOORS.includes(target);
  const [folder] = /^channels\/[^/]+\//.exec(path) ?? [];
  if (folder === undefined) return true;
  if (specifier.startsWith('.')) return target.startsWith(folder);
  const entries = path.startsWith(`${folder}test/`) ? [...ENTRIES, TEST_ENTRY] : ENTRIES;
  return !/^parley(\/|$)/.test(specifier) || entries.includes(specifier);
}

/** Forbids import cycles, including type imports. */
export const cycles: Rule = (files) => cyclesAmong(new Map(files.map((file) => [file.path, targets(file)])));

/**
 * The order of folders within each room: a folder may import only the folders before it. A file directly in the room
 * counts as a folder of its own. Its place in the order is free, as long as it makes no cycle.
 */
const FOLDERS_IN_ORDER: Readonly<Record<string, readonly string[]>> = {
  'adapters/console/page': ['net', 'state', 'parts'],
  'adapters/console': ['identity', 'chat', 'http'],
  'adapters/slack': ['api', 'receive', 'inbound', 'render', 'interactions', 'write', 'live'],
  'adapters/teams': [
    ...['api', 'app', 'receive', 'inbound', 'single-sign-on', 'render', 'write', 'interactions', 'sign-in'],
    'live',
  ],
  'channels/xmpp': ['stream', 'render', 'inbound', 'test'],
  'src/cli': ['answer', 'platform', 'live'],
  'src/core': [
    'agents',
    'stores',
    'access',
    'corrections',
    'commands',
    'channel',
    'pacing',
    'live-reply',
    'answer',
    'intake',
    'turns',
  ],
  'src/platform': ['stream', 'wire', 'operations', 'credentials', 'media', 'gateways', 'tasks'],
  'src/reply': ['markdown', 'markdown/emission', 'actions', 'ladder'],
  'src/store': ['turns', 'sqlite', 'postgres', 'move'],
  sandbox: [
    'http',
    'words',
    'store',
    'search',
    'knowledge',
    'agents',
    'auth',
    'workspaces',
    'bots',
    'dialect',
    'faults',
    'chat',
    'media',
    'people',
  ],
};

export const folderOrder: Rule = (files) =>
  files.flatMap((file) => {
    const own = folderOf(file.path);
    if (own === undefined || own.folder === '') return [];
    const order = FOLDERS_IN_ORDER[own.room] ?? [];
    const index = order.indexOf(own.folder);
    if (index < 0) return [`${file.path}: the order of folders does not name ${own.folder}`];
    return targets(file)
      .filter((target) => {
        const other = folderOf(target);
        return other?.room === own.room && order.indexOf(other.folder) > index;
      })
      .map((target) => `${file.path}: the folder ${own.folder} stands before that of ${target}`);
  });

export const folderCycles: Rule = (files) => {
  const folders = new Map<string, string[]>();
  const nameOf = (path: string): string | undefined => {
    const own = folderOf(path);
    return own && (own.folder === '' ? path : `${own.room}/${own.folder}`);
  };
  for (const file of files) {
    const folder = nameOf(file.path);
    if (folder === undefined) continue;
    const others = targets(file).flatMap((target) => nameOf(target) ?? []);
    const imported = folders.get(folder) ?? [];
    folders.set(folder, [...imported, ...others.filter((other) => other !== folder)]);
  }
  return cyclesAmong(folders);
};

function folderOf(path: string): { readonly room: string; readonly folder: string } | undefined {
  const room = Object.keys(FOLDERS_IN_ORDER).find((each) => path.startsWith(`${each}/`));
  if (room === undefined) return undefined;
  return { room, folder: posix.dirname(path).slice(room.length + 1) };
}

function cyclesAmong(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path))
      found.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
    if (done.has(path) || trail.includes(path)) return;
    for (const target of imports.get(path) ?? []) if (imports.has(target)) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

function targets(file: Parsed): readonly string[] {
  const own = file.imports.filter(({ specifier }) => specifier.startsWith('.'));
  return own.map(({ specifier }) => posix.join(posix.dirname(file.path), specifier));
}

export const fileSizes: Rule = (files) =>
  files
    .map((file) => ({ file, lines: codeLines(file.text) }))
    .filter(({ lines }) => lines > FILE_LINES)
    .map(({ file, lines }) => `${file.path} has ${lines} lines of code, more than ${FILE_LINES}`);

/** Counts the lines that are neither blank nor comment. */
function codeLines(text: string): number {
  const bare = text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '');
  return bare.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export const functionSizes: Rule = (files) =>
  everyNode(files, ({ type }) => FUNCTIONS.has(type)).flatMap(({ file, node }) => {
    const lines = codeLines(file.text.slice(node.start, node.end));
    const count = Array.isArray(node.params) ? node.params.length : 0;
    return [
      ...(lines > FUNCTION_LINES
        ? [at(file, node, `a function of ${lines} lines, more than ${FUNCTION_LINES}`)]
        : []),
      ...(count > PARAMETERS ? [at(file, node, `${count} parameters: make them an object`)] : []),
    ];
  });

/** Forbids default exports (except where a tool requires them for its configuration), enums, `any` and `!`. */
export const plainLanguage: Rule = (files) =>
  everyNode(files, ({ type }) => type in REFUSED)
    .filter(
      ({ file, node }) => !(node.type === 'ExportDefaultDeclaration' && file.path.endsWith('.config.ts')),
    )
    .map(({ file, node }) => at(file, node, REFUSED[node.type] ?? ''));

const REFUSED: Readonly<Record<string, string>> = {
  ExportDefaultDeclaration: 'exports a default',
  TSEnumDeclaration: 'declares an enum',
  TSAnyKeyword: 'says any',
  TSNonNullExpression: 'asserts with !',
};

/** Modules and names that only certain files may use. */
interface Reserved {
  readonly what: string;
  readonly uses: (node: Node) => boolean;
  readonly allowed: (path: string) => boolean;
}

const isMember = (node: Node, object: string, property: string) =>
  node.type === 'MemberExpression' && named(node.object, object) && named(node.property, property);
const calls = (node: Node, names: readonly string[]) =>
  node.type === 'CallExpression' && names.some((name) => named(node.callee, name));
const named = (value: unknown, name: string) =>
  isNode(value) && value.type === 'Identifier' && value.name === name;
const importing = (node: Node, pattern: RegExp) =>
  /^(Import|Export)/.test(node.type) && isNode(node.source) && pattern.test(String(node.source.value));

const reserved: readonly Reserved[] = [
  {
    what: 'process.env belongs to config (a child process is given it whole by the command line; agents for outgoing requests read the proxies; the sandbox has its own)',
    uses: (node) => isMember(node, 'process', 'env'),
    allowed: (path) =>
      /^(src\/config|sandbox)\//.test(path) ||
      ['src/cli/sandbox-process.ts', 'src/outgoing.ts'].includes(path),
  },
  {
    what: 'console belongs to the command line',
    uses: (node) => node.type === 'MemberExpression' && named(node.object, 'console'),
    allowed: (path) => path.startsWith('src/cli/') || path === 'sandbox/main.ts',
  },
  {
    what: 'time belongs behind the clock',
    uses: (node) => isMember(node, 'Date', 'now') || calls(node, ['setTimeout', 'setInterval']),
    allowed: (path) => ['src/clock.ts', 'sandbox/clock.ts', 'adapters/console/page/clock.ts'].includes(path),
  },
  {
    what: 'limits of time are timeLimit, which reads an answer that arrived during a standstill first',
    uses: (node) => isMember(node, 'AbortSignal', 'timeout'),
    allowed: (path) => path === 'src/kit/time-limit.ts' || /^(adapters\/console\/page|sandbox)\//.test(path),
  },
  {
    what: 'undici belongs to the transport',
    uses: (node) => importing(node, /^undici$/),
    allowed: (path) =>
      /^(src\/outgoing|src\/platform\/(transport|interim)|adapters\/teams\/api\/http)\.ts$/.test(path),
  },
  {
    what: 'node:sqlite belongs to the stores',
    uses: (node) => importing(node, /^node:sqlite$/),
    allowed: (path) => /^(src\/sqlite\.ts|(src\/store|sandbox\/store|adapters\/console\/chat)\/)/.test(path),
  },
];

export const reservations: Rule = (files) =>
  reserved.flatMap(({ what, uses, allowed: may }) =>
    everyNode(files, uses)
      .filter(({ file }) => !may(file.path))
      .map(({ file, node }) => at(file, node, what)),
  );

/** The composition roots: the command line, and the door of programs that embed Parley. */
const ROOTS = ['src/main.ts', 'src/embed.ts'];

/** Forbids the names of channels outside their own folders and the composition root. */
export const channelNames =
  (names: readonly string[]): Rule =>
  (files) =>
    files
      .filter(({ path }) => path.startsWith('src/') && !ROOTS.includes(path))
      .flatMap((file) => [
        ...file.imports
          .filter(({ specifier }) => /(^|\/)adapters\//.test(specifier))
          .map(({ line, specifier }) => `${file.path}:${line} imports ${specifier}`),
        ...file.nodes.flatMap((node) => {
          const said = wordOf(node);
          const name = names.find((each) => said === each || said?.startsWith(`${each}.`));
          return name === undefined ? [] : [at(file, node, `names the channel ${name}`)];
        }),
      ]);

/** Returns the text or the member name of a node in lower case, such as `slack` for `'slack'` and `config.slack`. */
function wordOf(node: Node): string | undefined {
  const { type, value, key, property } = node;
  if (type === 'Literal' && typeof value === 'string') return value.toLowerCase();
  if (type === 'TemplateElement' && isRecord(value)) return String(value.cooked).toLowerCase();
  if (type === 'MemberExpression' && !named(node.object, 'globalThis')) return identifierOf(property);
  return type === 'Property' || type === 'TSPropertySignature' ? identifierOf(key) : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const identifierOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'Identifier' && typeof value.name === 'string' ? value.name : undefined;

/** Allows the registry to load each channel's description, but no package except zod, which checks settings. */
export const lightRegistry: Rule = (files) => {
  const known = new Map(files.map((file) => [file.path, file]));
  const seen = new Set(['adapters/registry.ts']);
  for (const path of seen) {
    const now = known.get(path)?.imports.filter(({ when }) => when === 'now') ?? [];
    for (const { specifier } of now) {
      seen.add(specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier);
    }
  }
  return [...seen]
    .filter((each) => !each.startsWith('node:') && each !== 'zod' && !known.has(each))
    .map((each) => `the registry loads ${each} at once`);
};

function everyNode(files: readonly Parsed[], fits: (node: Node) => boolean) {
  return files.flatMap((file) => file.nodes.filter(fits).map((node) => ({ file, node })));
}

/** Finds rooms (parts of the project, see `rooms.ts`) without a file, because rules for such a room check nothing. */
export const tableIsSound: Rule = (files) =>
  rooms
    .filter(({ holds }) => !files.some(({ path }) => holds(path)))
    .map(({ name }) => `the room ${name} holds no file`);
