/** The documents behind the agents, as the commands and shared files need them. */

import type { Source } from '../reply.ts';
import type { Call } from './agent.ts';

/** A file of a knowledge workspace. */
export interface LibraryFile {
  readonly id: string;
  readonly name: string;
  /** `ready` if agents can find it. */
  readonly state: 'ready' | 'indexing' | 'failed';
}

export interface LibraryDocument {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * The score that the platform ranked by: a share from 0 to 1, or a number that only compares the results of one search.
 */
export interface RankingScore {
  readonly kind: 'relevance' | 'rank';
  readonly value: number;
}

/** A document that a search found. */
export interface FoundSource {
  readonly source: Source;
  /** Absent if the platform reports none. */
  readonly score?: RankingScore;
}

export interface KnowledgeWorkspace {
  readonly name: string;
  /** Number of its files, if the platform tells. */
  readonly files?: number;
}

/** The platform's documents for its agents. All methods throw a `BridgeError` with a platform code. */
export interface Library {
  /** Passages for a query, best first, those of one document together; in one knowledge workspace, or in all. */
  search(query: string, where: { readonly workspace?: string }, call: Call): Promise<readonly FoundSource[]>;
  /** The newest files of a knowledge workspace, at most `limit`, and how many there are. */
  files(
    workspace: string,
    limit: number,
    call: Call,
  ): Promise<{ readonly files: readonly LibraryFile[]; readonly total: number }>;
  /**
   * Puts a document into a knowledge workspace, where agents find it once it was read. `known`: the same bytes were
   * put there before, so nothing was sent.
   */
  add(
    document: LibraryDocument,
    workspace: string,
    call: Call,
  ): Promise<{ readonly id: string; readonly known: boolean }>;
  /** Resolves with the state of a file; undefined if it does not exist or was deleted. */
  stateOf(id: string, workspace: string, call: Call): Promise<LibraryFile['state'] | undefined>;
  /** Deletes a file that `add` put there. */
  remove(id: string, workspace: string, call: Call): Promise<void>;
  /** The knowledge workspaces that the account sees. */
  workspaces(call: Call): Promise<readonly KnowledgeWorkspace[]>;
}
