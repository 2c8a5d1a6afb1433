import type { ComponentChildren } from 'preact';
import { Mark } from './icons.tsx';

interface CentredFormProps {
  readonly title: string;
  readonly onSubmit: () => void;
  /** True if screen readers read what changes in the form. */
  readonly live?: boolean;
  readonly children: ComponentChildren;
}

/** A page that consists of one form. */
export function CentredForm({ title, onSubmit, live = false, children }: CentredFormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <main class="centred">
      <form onSubmit={submit} aria-live={live ? 'polite' : undefined}>
        <Mark size={48} />
        <h1>{title}</h1>
        {children}
      </form>
    </main>
  );
}
