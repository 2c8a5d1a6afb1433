/** The interface to the platform's documents, used by commands and for files that people attach. */

import type { Source } from '../reply.ts';

/** The account of a platform call, and a signal that aborts the call. */
export interface Call {
  readonly account?: string | undefined;
  readonly signal: AbortSignal;
}

/** A file by the platform's ids. */
export interface FileInWorkspace {
  readonly id: string;
  /** Id of the file's knowledge workspace. */
  readonly workspace: string;
}

/** A file in a knowledge workspace. */
export interface LibraryFile {
  readonly id: string;
  readonly name: string;
  /** `ready` if agents can find it. */
  readonly state: 'ready' | 'indexing' | 'failed';
  /** Address of the file's preview. */
  readonly link?: string;
}

export interface LibraryDocument {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * The score by which the platform ranked a result: `relevance` is a share from 0 to 1; `rank` is a number that is
 * comparable only within one search.
 */
export interface RankingScore {
  readonly kind: 'relevance' | 'rank';
  readonly value: number;
}

/** A document that a search found. */
export interface FoundSource {
  readonly source: Source;
  /** Absent if the platform reports no score. */
  readonly score?: RankingScore;
}

export interface KnowledgeWorkspace {
  readonly name: string;
  /** Number of files in the workspace; absent if the platform does not report it. */
  readonly files?: number;
}

/**
 * Access to the documents from which the platform's agents answer. All methods throw a `BridgeError` with a platform
 * code.
 */
export interface Library {
  /**
   * Returns passages for a query, best first, grouped by document. Searches one knowledge workspace, or all if none
   * is given.
   */
  search(query: string, where: { readonly workspace?: string }, call: Call): Promise<readonly FoundSource[]>;
  /** Returns the newest files of a knowledge workspace, at most `limit`, and the total number of its files. */
  files(
    workspace: string,
    limit: number,
    call: Call,
  ): Promise<{ readonly files: readonly LibraryFile[]; readonly total: number }>;
  /**
   * Adds a document to a knowledge workspace. Agents find the document once it is indexed. Returns `known: true` if
   * the same bytes were added before; they are then not sent again.
   */
  add(
    document: LibraryDocument,
    workspace: string,
    call: Call,
  ): Promise<FileInWorkspace & { readonly known: boolean }>;
  /**
   * Stores a question with its answer in a knowledge workspace. Resolves with `unconfirmed` if the platform may or may
   * not have stored the pair. Rejects if the pair was certainly not stored.
   */
  addPair(
    pair: { readonly question: string; readonly answer: string },
    workspace: string,
    call: Call,
  ): Promise<'stored' | 'unconfirmed'>;
  /** Resolves with the state of a file; undefined if it does not exist or was deleted. */
  stateOf(id: string, workspace: string, call: Call): Promise<LibraryFile['state'] | undefined>;
  /** Deletes a file that `add` created. */
  remove(id: string, workspace: string, call: Call): Promise<void>;
  /** Returns the knowledge workspaces that the account can see. */
  workspaces(call: Call): Promise<readonly KnowledgeWorkspace[]>;
}
