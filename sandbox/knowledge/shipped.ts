import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sandboxCatalogue } from '../fixtures.ts';
import type { StoredImage } from '../store/images.ts';
import type { KnowledgeSource } from './folder.ts';

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

/** Returns the project's documentation, as far as it exists. */
export function guides(): readonly KnowledgeSource[] {
  const project = projectFolder();
  const workspace = workspaceOf('project');
  return [...guidesIn(join(project, 'docs')), join(project, 'README.md')]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, workspace }));
}

/**
 * Returns the guides in the folder. Leaves out the reference in its subfolders, because its many tables would crowd out
 * the guides in answers.
 */
function guidesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => join(folder, name));
}

/** Returns the picture that demonstration agents show. */
export function floorPlan(): StoredImage {
  const bytes = readFileSync(join(corpusFolder(), 'images/floor-plan.png'));
  return { name: 'floor-plan.png', type: 'image/png', bytes };
}
