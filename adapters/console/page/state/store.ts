import { useEffect, useState } from 'preact/hooks';
import { after } from '../clock.ts';
import { sentenceOf } from '../net/api.ts';
import { emptyState, type PageState, type Toast, type View } from './model.ts';

let state: PageState = emptyState;
const listeners = new Set<() => void>();

export function getState(): PageState {
  return state;
}

/** Replaces the state by the result of `change`. */
export function update(change: (state: PageState) => PageState): void {
  const next = change(state);
  if (next === state) return;
  state = next;
  for (const listener of [...listeners]) listener();
}

/** Opens or closes the panel, the dialog or the toast, or changes another property of `View`. */
export function show(view: Partial<View>): void {
  update((now) => ({ ...now, ...view }));
}

const TOAST_MS = 6_000;
let cancelHiding = () => {};

/** Shows a toast (a short message) for 6 s. A later toast replaces it. */
export function showToast(toast: Toast): void {
  cancelHiding();
  show({ toast });
  cancelHiding = after(TOAST_MS, () => show({ toast: undefined }));
}

/** Makes a request. If it is refused, shows the reason in a toast. */
export async function orToast(request: () => Promise<void>): Promise<void> {
  try {
    await request();
  } catch (thrown) {
    showToast({ tone: 'error', text: sentenceOf(thrown) });
  }
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Returns a part of the state, and renders the component again when that part changes. `pick` must not create a new
 * object, because parts are compared by identity.
 */
export function useSelect<T>(pick: (state: PageState) => T): T {
  const [, wake] = useState(0);
  const picked = pick(state);
  useEffect(() => {
    let last = picked;
    const look = () => {
      const current = pick(state);
      if (Object.is(current, last)) return;
      last = current;
      wake((count) => count + 1);
    };
    look();
    return subscribe(look);
  }, [pick, picked]);
  return picked;
}
