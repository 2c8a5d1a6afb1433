import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Option {
  readonly key: string;
  /** Name that stands above the first option of a group; absent in a list without groups. */
  readonly group?: string;
  readonly content: ComponentChildren;
}

/**
 * Returns the active option of the list whose element has this id, and a function that moves it with the arrow keys; the
 * function returns false for other keys.
 */
export function useListbox(id: string, count: number) {
  const [chosen, setActive] = useState(0);
  const active = Math.min(chosen, count - 1);
  const move = (event: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || count === 0 || event.isComposing) return false;
    event.preventDefault();
    setActive((active + step + count) % count);
    return true;
  };
  return { id, active, setActive, move };
}

interface ListboxProps {
  readonly state: ReturnType<typeof useListbox>;
  readonly label: string;
  readonly class: string;
  readonly options: readonly Option[];
  readonly onChoose: (index: number) => void;
}

/** A list of options for a field. The focus stays in the field, which handles the keys and names the active option. */
export function Listbox({ state, label, class: className, options, onChoose }: ListboxProps) {
  const { id, active, setActive } = state;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    [active],
  );
  return (
    <div class={className} role="listbox" id={id} aria-label={label} ref={list}>
      {options.map(({ key, group, content }, index) => (
        <Fragment key={key}>
          {group !== options[index - 1]?.group && (
            <div class="palette-group" role="presentation">
              {group}
            </div>
          )}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys */}
          <div
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseMove={() => setActive(index)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(index)}
          >
            {content}
          </div>
        </Fragment>
      ))}
    </div>
  );
}
