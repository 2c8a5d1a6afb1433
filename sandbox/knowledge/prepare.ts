import type { NewChunk } from '../store/passages.ts';
import type { Block } from './chunk.ts';
import { type Cutting, chunkOf, cutPassages, divide, PASSAGE_LENGTH, type Passage } from './chunk.ts';

/** What the settings of a workspace mean for its documents (platform contract WSP-7 to WSP-9). */
export interface Preparation {
  readonly cutting: Cutting;
  /** False: documents are kept but not prepared for retrieval. */
  readonly enabled: boolean;
}

/** Platform contract LIM-8. */
export const MAX_LENGTH = 1024;

/** How documents are prepared where nobody says otherwise. */
export const plainPreparation: Preparation = {
  cutting: { maxLength: MAX_LENGTH, overlap: 0 },
  enabled: true,
};

/** Chunks of one document, at most: each costs time while it is written, and others wait that long. */
const CHUNKS_AT_MOST = 20_000;

interface DocumentToPrepare {
  readonly blocks: readonly Block[];
  /** Its title where it has no heading for one. */
  readonly title: string;
  /** File ids of its pictures, by source. */
  readonly pictures: ReadonlyMap<string, string>;
}

/** A document cut into what becomes its chunks. */
export interface Prepared {
  readonly title: string;
  readonly passages: readonly Passage[];
}

export const chunksOf = ({ title, passages }: Prepared): readonly NewChunk[] =>
  passages.map((passage) => chunkOf(title, passage));

/** Cuts a document. Throws with a reason when its chunks would be too many. */
export function prepare(document: DocumentToPrepare, { cutting, enabled }: Preparation): Prepared {
  const { blocks, title: fallback, pictures } = document;
  const { title, passages } = divide(blocks, fallback, (source) => pictures.get(source), mostOf(cutting));
  if (!enabled) return { title, passages: [] };
  const cut = cutPassages(passages, cutting);
  if (cut.length > CHUNKS_AT_MOST) throw new Error(`The file has more than ${CHUNKS_AT_MOST} chunks.`);
  return { title, passages: cut };
}

/** With overlap a section is whole before it is cut, so that each piece but its first can repeat the one before. */
function mostOf({ maxLength, overlap }: Cutting): number {
  if (overlap > 0) return Number.POSITIVE_INFINITY;
  return maxLength === MAX_LENGTH ? PASSAGE_LENGTH : maxLength;
}
