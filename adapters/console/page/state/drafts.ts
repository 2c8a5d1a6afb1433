import type { FileView } from '../../wire.ts';
import { recall, remember } from './memory.ts';

/** What was written and not yet sent, by person and thread. */
export interface Draft {
  readonly text: string;
  readonly files: readonly FileView[];
}

/** The drafts least lately touched beyond this are forgotten. */
const DRAFTS_MOST = 100;
const KEY = 'drafts';

export const noDraft: Draft = { text: '', files: [] };

let drafts: Readonly<Record<string, Draft>> | undefined;

export function draftKey(who: string, room: string, thread: string | undefined): string {
  return [who, room, thread ?? ''].join(' ');
}

export function readDraft(key: string): Draft {
  drafts ??= stored();
  return drafts[key] ?? noDraft;
}

export function writeDraft(key: string, draft: Draft): void {
  const { [key]: _, ...others } = drafts ?? stored();
  const empty = draft.text === '' && draft.files.length === 0;
  const kept = Object.entries(others).slice(-(DRAFTS_MOST - 1));
  drafts = Object.fromEntries(empty ? kept : [...kept, [key, draft]]);
  remember(KEY, JSON.stringify(drafts));
}

/** Here bytes of this page's own writing become drafts again; anything else counts as none. */
function stored(): Readonly<Record<string, Draft>> {
  try {
    const read: unknown = JSON.parse(recall(KEY) ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(
      Object.entries(read).filter((entry): entry is [string, Draft] => isDraft(entry[1])),
    );
  } catch {
    return {};
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null || !('text' in value) || !('files' in value)) return false;
  return typeof value.text === 'string' && Array.isArray(value.files);
}
