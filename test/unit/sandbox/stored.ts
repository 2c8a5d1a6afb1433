import { type Database, openDatabase } from '../../../sandbox/store/database.ts';
import { createDocuments, type Documents, type StoredDocument } from '../../../sandbox/store/documents.ts';
import { createIds } from '../../../sandbox/store/ids.ts';
import { createImages } from '../../../sandbox/store/images.ts';
import { manualClock } from '../../contract/sandbox/support.ts';

/** Opens the documents of a database, by default of a new one in memory. */
export const openDocuments = (database: Database = openDatabase(undefined)): Documents =>
  createDocuments(database, createIds(database, manualClock()), createImages(database));

/** Stores a document that is about to be read. */
export const announce = (documents: Documents, name: string, workspace = 'w1'): StoredDocument =>
  documents.announce({
    workspace,
    path: `${workspace}/${name}`,
    name,
    title: name,
    type: 'md',
    size: 1,
    hash: '',
    state: 'underway',
    reason: '',
    fullPath: `/${name}`,
    created: 0,
    modified: 0,
    createdBy: '',
    modifiedBy: '',
  });
