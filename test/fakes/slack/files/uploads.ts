/** Keeps pending uploads, and derives the types of files from their names. */

import type { World } from '../world.ts';

export interface FileKind {
  readonly mimetype: string;
  readonly filetype: string;
}

export interface Upload {
  readonly name: string;
  readonly length: number;
  readonly team: string;
  readonly altText?: string;
  bytes?: Uint8Array;
  kind?: FileKind;
}

const uploads = new WeakMap<World, Map<string, Upload>>();

export function uploadsOf(world: World): Map<string, Upload> {
  const known = uploads.get(world) ?? new Map<string, Upload>();
  uploads.set(world, known);
  return known;
}

const KINDS: Readonly<Record<string, FileKind>> = {
  png: { mimetype: 'image/png', filetype: 'png' },
  jpg: { mimetype: 'image/jpeg', filetype: 'jpg' },
  gif: { mimetype: 'image/gif', filetype: 'gif' },
  webp: { mimetype: 'image/webp', filetype: 'webp' },
  svg: { mimetype: 'image/svg+xml', filetype: 'svg' },
  pdf: { mimetype: 'application/pdf', filetype: 'pdf' },
  txt: { mimetype: 'text/plain', filetype: 'text' },
  md: { mimetype: 'text/markdown', filetype: 'markdown' },
  html: { mimetype: 'text/html', filetype: 'html' },
  docx: {
    mimetype: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    filetype: 'docx',
  },
};

/** Derives the type from the name as Slack does, so a wrong name gives a wrong type. */
export const kindOf = (name: string): FileKind =>
  KINDS[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? {
    mimetype: 'application/octet-stream',
    filetype: 'binary',
  };
