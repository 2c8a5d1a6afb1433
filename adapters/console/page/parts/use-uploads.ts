import { useState } from 'preact/hooks';
import type { FileView } from '../../wire.ts';
import { api, sentenceOf } from '../net/api.ts';
import { newNonce } from '../state/acts.ts';
import { getState } from '../state/store.ts';
import { sizeOf } from '../state/time.ts';

/** An upload that is running or has failed. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly failure?: string;
  readonly cancel: () => void;
}

export type Uploads = ReturnType<typeof useUploads>;

/** Uploads files as soon as they are chosen. Calls `done` with each file once it is stored. */
export function useUploads(present: number, done: (file: FileView) => void) {
  const [list, setList] = useState<readonly Upload[]>([]);
  const drop = (id: string) => setList((all) => all.filter((one) => one.id !== id));
  const fail = (id: string, failure: string) =>
    setList((all) => all.map((one) => (one.id === id ? { ...one, failure } : one)));

  const start = (file: File, refusal: string | undefined) => {
    const id = newNonce();
    const control = new AbortController();
    const cancel = () => {
      control.abort();
      drop(id);
    };
    setList((all) => [...all, { id, name: file.name, cancel, ...(refusal ? { failure: refusal } : {}) }]);
    if (refusal) return;
    api
      .upload(file, getState().who, control.signal)
      .then((view) => {
        drop(id);
        done(view);
      })
      .catch((thrown: unknown) => fail(id, sentenceOf(thrown)));
  };
  const add = (files: FileList | undefined) => {
    const held = present + list.filter((one) => !one.failure).length;
    for (const [index, file] of [...(files ?? [])].entries()) start(file, refusalOf(file, held + index));
  };
  return { list, add };
}

function refusalOf(file: File, held: number): string | undefined {
  const limits = getState().setup?.limits;
  if (!limits) return undefined;
  if (held >= limits.files) return `A message can have up to ${limits.files} files.`;
  return file.size > limits.fileBytes ? `Larger than the limit of ${sizeOf(limits.fileBytes)}.` : undefined;
}
