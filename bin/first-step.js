/**
 * Prepares Parley before it runs: installs missing packages from the lock file, builds the console's page, and restarts
 * under the project's own Node. This file is plain JavaScript, because it must run under Node 20 or later. If nothing
 * is missing, the preparation takes a few milliseconds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const NODE = 24;
/** Exit code for a missing service (EX_UNAVAILABLE of sysexits). */
const UNAVAILABLE = 69;
const QUIET_FLAGS = ['--no-audit', '--no-fund', '--loglevel=error'];
/** The scripts of package.json that run a bridge or the tests. */
const OUR_SCRIPTS = ['start', 'parley', 'test'];
/** Interval between checks of whether npm's shell still runs, in milliseconds. */
const CHECK_EVERY_MS = 500;
const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const modules = join(root, 'node_modules');
const page = join(root, 'adapters/console/page');
/**
 * Environment variable with the id of the launcher: the process that started this one because the launcher's own Node
 * was too old. This process must end when the launcher does.
 */
const LAUNCHER = 'PARLEY_LAUNCHER';

/** True if this is a clone with sources; false if it is the installed package. */
export const isClone = existsSync(join(root, 'src/main.ts')) && !/[\\/]node_modules[\\/]/.test(root);

/** Path of the Node that is installed as a dev dependency of the project. */
export const projectNode = join(
  modules,
  process.platform === 'win32' ? 'node/bin/node.exe' : 'node/bin/node',
);

export const inRoot = (path) => join(root, path);

/** Installs the packages of the lock file, unless they are installed. */
export function installMissing() {
  if (!isClone) return;
  const stampFile = join(modules, '.parley-stamp');
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const stamp = `${digest(lock)} ${process.platform}-${process.arch}\n`;
  if (readText(stampFile) === stamp && existsSync(projectNode)) return;
  if (!isInstalled(JSON.parse(lock))) {
    console.error('Installing what is missing (once)…');
    runNpm(['ci', ...QUIET_FLAGS]);
    // npm skips optional packages that need a newer Node than npm itself runs on. So install again under the project's
    // Node.
    if (!isNodeNewEnough()) runNpm(['install', ...QUIET_FLAGS], projectNode);
  }
  writeFileSync(stampFile, stamp);
}

/**
 * True if npm's record in node_modules matches the lock file. Optional packages may be missing, because some do not
 * exist for every machine.
 */
function isInstalled(lock) {
  const noted = readText(join(modules, '.package-lock.json'));
  if (noted === undefined || !existsSync(projectNode)) return false;
  const present = JSON.parse(noted).packages;
  return Object.entries(lock.packages).every(([place, wanted]) => {
    if (place === '') return true;
    const found = present[place];
    return found === undefined ? wanted.optional === true : found.version === wanted.version;
  });
}

function runNpm(args, node = process.execPath) {
  const npm = process.env.npm_execpath;
  const env = node === projectNode ? { ...process.env, PATH: pathWithProject() } : process.env;
  const options = { cwd: root, stdio: 'inherit', env };
  const ran = npm?.endsWith('.js')
    ? spawnSync(node, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (ran.status === 0) return;
  console.error(`npm ${args[0]} failed. Correct the error above, then run the command again.`);
  process.exit(ran.signal ? 128 + constants.signals[ran.signal] : UNAVAILABLE);
}

/** Builds the console's page if its sources have changed since it was last built. Uses the project's Node. */
export function buildPage() {
  const config = join(page, 'vite.config.ts');
  if (!isClone || !existsSync(config)) return;
  const stampFile = join(page, 'dist/.parley-stamp');
  const { from = [], stamp } = JSON.parse(readText(stampFile) ?? '{}');
  if (stamp !== undefined && stamp === sourceStamp(from)) return;
  // Vite reads these characters as the end of a file's path (its issues 582 and 6763).
  if (/[#?]/.test(root)) {
    const why = 'because the path contains "#" or "?". Rename or move the folder.';
    console.error(`The console page cannot be built in ${root}, ${why}`);
    process.exit(UNAVAILABLE);
  }
  console.error('Building the console page (once)…');
  const built = spawnSync(projectNode, [join(root, 'bin/build-page.js'), config], {
    cwd: root,
    // In the environment of a test run, Vite would build the development version, which is larger and slower.
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (built.status !== 0) {
    console.error(`${built.stdout}${built.stderr}\nThe console page could not be built.`);
    process.exit(UNAVAILABLE);
  }
  const used = JSON.parse(built.stdout.trimEnd().split('\n').at(-1));
  writeFileSync(stampFile, JSON.stringify({ from: used, stamp: sourceStamp(used) }));
}

/**
 * Makes the imports in Parley's own files faster: a start with 400 files needs 120 ms less CPU time. A relative import
 * states the whole path of a file, so Node need not check for the file, for links and for a package.json. A package has
 * the same address for all own files, so Node looks for it only once.
 */
export function resolveOwnImports() {
  const own = (isClone ? ['src', 'adapters'] : ['dist']).map((folder) => `${pathToFileURL(inRoot(folder))}/`);
  const [ending, format] = isClone ? ['.ts', 'module-typescript'] : ['.js', 'module'];
  const packages = new Map();
  module.registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '', conditions } = context;
      if (!own.some((folder) => parentURL.startsWith(folder))) return next(specifier, context);
      if (specifier.startsWith('.') && specifier.endsWith(ending))
        return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
      if (/^[./]|:/.test(specifier)) return next(specifier, context);
      const key = [specifier, ...conditions].join(' ');
      const found = packages.get(key) ?? { ...next(specifier, context), shortCircuit: true };
      packages.set(key, found);
      return found;
    },
  });
}

/** Returns a digest of the page's own files and of the project's other files that the last build used. */
function sourceStamp(from) {
  const own = readdirSync(page, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.startsWith(join(page, 'dist')));
  const all = [...own.map((path) => relative(root, path)), ...from, 'package-lock.json'];
  const lines = [...new Set(all)]
    .sort()
    .map((path) => `${path}\n${digest(readText(join(root, path)) ?? '')}`);
  return digest(lines.join('\n'));
}

export const isNodeNewEnough = () => Number.parseInt(process.versions.node, 10) >= NODE;

/** Runs the same command under the project's Node, and then ends with the same exit code or signal. */
export function runUnderProjectNode(script, args) {
  if (!existsSync(projectNode)) {
    console.error(`Parley needs Node ${NODE} or later; this is Node ${process.versions.node}.`);
    process.exit(UNAVAILABLE);
  }
  const child = spawn(projectNode, [...process.execArgv, script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [LAUNCHER]: String(process.pid), PATH: pathWithProject() },
  });
  endLike(child);
}

/** Returns the value of PATH with the project's Node first. */
export function pathWithProject() {
  const separator = process.platform === 'win32' ? ';' : ':';
  return [join(modules, '.bin'), process.env.PATH].join(separator);
}

/** Passes signals on to the child. When the child has ended, this process ends with the child's exit code or signal. */
export function endLike(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const pass = (signal) => {
    clearInterval(watch);
    child.kill(signal);
  };
  const watch = watchParent(() => pass('SIGTERM'));
  for (const signal of signals) process.on(signal, pass);
  child.on('error', (error) => {
    console.error(`The project's Node could not be started: ${error.message}`);
    process.exit(UNAVAILABLE);
  });
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, pass);
    if (signal !== null) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

/**
 * Calls `gone` when npm's shell has ended. This is needed because npm passes a signal to the shell, and the shell does
 * not pass it on (see src/cli/own-process.ts).
 */
function watchParent(gone) {
  const { npm_package_name: name, npm_lifecycle_event: script } = process.env;
  if (name !== 'parley' || !OUR_SCRIPTS.includes(script)) return undefined;
  const first = process.ppid;
  return setInterval(() => {
    if (process.ppid !== first) gone();
  }, CHECK_EVERY_MS).unref();
}

/**
 * Ends this process when its launcher is killed. The launcher started it because the launcher's own Node was too old.
 */
export function dieWithLauncher() {
  if (process.env[LAUNCHER] !== String(process.ppid) || !process.connected) return;
  delete process.env[LAUNCHER];
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex');
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
