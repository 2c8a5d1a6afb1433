/** Loads the figures of the operator's page, and the small parts that show them. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { every } from '../clock.ts';
import { api, sentenceOf } from '../net/api.ts';
import { type OperatePlace, queryOf } from '../state/operate.ts';
import { Notice } from './notice.tsx';

/** Interval at which figures of the present are read again, in milliseconds. */
const REFRESH_MS = 10_000;

interface FiguresState<T> {
  readonly view?: T;
  readonly failure?: string;
}

/** Reads figures, and reads them again when a filter changes; if `live` is true, also every 10 s in a visible tab. */
function useFigures<T>(path: string, filters: URLSearchParams, live: boolean): FiguresState<T> {
  const [state, setState] = useState<FiguresState<T>>({});
  const query = queryOf(filters);
  useEffect(() => {
    const control = new AbortController();
    const read = () =>
      api.operate<T>(`${path}?${query}`, control.signal).then(
        (view) => setState({ view }),
        (thrown: unknown) => {
          if (!control.signal.aborted) setState((last) => ({ ...last, failure: sentenceOf(thrown) }));
        },
      );
    void read();
    const end = live ? every(REFRESH_MS, () => !document.hidden && void read()) : undefined;
    return () => {
      control.abort();
      end?.();
    };
  }, [path, query, live]);
  return state;
}

interface LoadedProps<T> {
  readonly path: string;
  readonly place: OperatePlace;
  readonly live?: boolean;
  readonly children: (view: T) => ComponentChildren;
}

/** Loads figures, and shows what `children` makes of them. */
export function Loaded<T>({ path, place, live = false, children }: LoadedProps<T>) {
  const { view, failure } = useFigures<T>(path, place.filters, live);
  return (
    <>
      {failure && <Notice alert tone="error" text={failure} />}
      {view !== undefined && children(view)}
      {view === undefined && failure === undefined && <p role="status">Reading the figures</p>}
    </>
  );
}

/** A part of a tab. `note` stands beside its title. */
export function Part({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="operate-part">
      <header>
        <h2>{title}</h2>
        {note !== undefined && <p class="quiet">{note}</p>}
      </header>
      {children}
    </section>
  );
}

export const Empty = ({ text }: { readonly text: string }) => <p class="operate-empty quiet">{text}</p>;

/** A number with its name. `bad`: it needs the operator's attention. */
export function Tile({
  label,
  value,
  note,
  bad = false,
}: {
  readonly label: string;
  readonly value: string | number;
  readonly note?: string | undefined;
  readonly bad?: boolean;
}) {
  return (
    <div class={bad ? 'tile bad' : 'tile'}>
      <dt>{label}</dt>
      <dd>
        {value}
        {note !== undefined && <span class="quiet"> {note}</span>}
      </dd>
    </div>
  );
}

/** A table whose cells carry the names of their columns, which a phone shows beside each value. */
export function Table({
  label,
  columns,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}) {
  return (
    <table class="operate-table" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, column) => (
              <td key={columns[column]} data-column={columns[column]}>
                {cell ?? <span class="quiet">–</span>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Says that a query did not read everything. */
export const Searched = ({ count, what }: { readonly count: number | undefined; readonly what: string }) =>
  count === undefined ? null : (
    <p class="quiet operate-bound">
      Only the newest {count.toLocaleString('en')} {what} were read. Choose a shorter time or a filter.
    </p>
  );
