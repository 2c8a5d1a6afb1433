/**
 * Lets one start of the sandbox per test run read the documents that ship with it, which takes 0.4 s of CPU. Later
 * starts get a copy of its database, and find all documents unchanged.
 */

import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** The copy, in the folder that all test files of a run share (bin/test-setup.js). */
const shared = process.env.PARLEY_TEST_FOLDER;
const template = join(shared ?? '', 'sandbox.db');

/** Copies the database of an earlier start into a data folder in which no sandbox ran, if there was one. */
export async function giveDocuments(data: string): Promise<void> {
  const own = join(data, 'sandbox');
  if (shared === undefined || !existsSync(template) || existsSync(own)) return;
  await mkdir(own, { mode: 0o700 });
  await copyFile(template, join(own, 'sandbox.db'));
}

/** Copies the database of a running sandbox that has read all its documents, for later starts. */
export async function keepDocuments(data: string): Promise<void> {
  const file = join(data, 'sandbox/sandbox.db');
  if (shared === undefined || existsSync(template) || !existsSync(file)) return;
  const database = new DatabaseSync(file, { readOnly: true });
  const own = `${template}-${process.pid}`;
  await backup(database, own);
  database.close();
  await chmod(own, 0o600);
  await rename(own, template);
}
