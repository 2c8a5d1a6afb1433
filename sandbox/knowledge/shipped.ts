import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sandboxCatalogue } from '../fixtures.ts';
import type { StoredImage } from '../store/images.ts';
import type { KnowledgeSource } from './folder.ts';
import type { ListedQuestions } from './questions.ts';

/**
 * Returns the project's folder: the nearest folder above this file that contains package.json. Works for the sources
 * and for the build.
 */
function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

const corpusFolder = (): string => join(projectFolder(), 'sandbox/corpus');

export const workspaceOf = (name: string): string =>
  sandboxCatalogue.workspaces.find((one) => one.name === name)?.id ?? '';

/** Returns the documents that ship with the sandbox. */
export const shippedDocuments = (): KnowledgeSource => ({
  path: corpusFolder(),
  workspace: workspaceOf('handbook'),
});

/** Pages that newcomers read first, so that their questions are suggested first. */
const FIRST = ['README.md', 'docs/getting-started.md', 'docs/your-agents.md'];

/** Pages about the inside of Parley. */
const INTERNALS = ['architecture.md', 'decisions.md', 'growing-text.md', 'pacing.md'];

/**
 * Returns the project's documentation, as far as it exists. Leaves out the reference in the subfolders of `docs` and
 * the pages about the inside of Parley, because in answers they would crowd out the guides.
 */
export function guides(): readonly KnowledgeSource[] {
  const project = projectFolder();
  const docs = existsSync(join(project, 'docs')) ? readdirSync(join(project, 'docs')) : [];
  const pages = docs.filter((name) => name.endsWith('.md') && !INTERNALS.includes(name)).sort();
  return [...new Set([...FIRST, ...pages.map((name) => `docs/${name}`), 'channels/xmpp/README.md'])]
    .map((name) => ({ path: join(project, name), workspace: workspaceOf('project') }))
    .filter(({ path }) => existsSync(path));
}

/** Returns the questions that sections of the project's documentation answer; none if their file is missing. */
export function listedQuestions(): ListedQuestions {
  const file = join(projectFolder(), 'docs/questions.json');
  const pages: ListedQuestions = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return Object.fromEntries(Object.entries(pages).map(([page, each]) => [join(projectFolder(), page), each]));
}

/** Returns the picture that demonstration agents show. */
export function floorPlan(): StoredImage {
  const bytes = readFileSync(join(corpusFolder(), 'images/floor-plan.png'));
  return { name: 'floor-plan.png', type: 'image/png', bytes };
}
