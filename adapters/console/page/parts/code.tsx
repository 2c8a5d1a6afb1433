import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { CopyButton } from './controls.tsx';
import { chunkHook } from './use-chunk.ts';

/** True in the last block of a growing answer. Colours there would be computed again for each addition. */
export const GrowingBlock = createContext(false);

const useColours = chunkHook(() => import('./colours.ts'));
const useFormulas = chunkHook(async () => {
  await import('temml/dist/Temml-Local.css');
  return await import('./formula.ts');
});

/** Shows code without wrapping its lines, with its language and a button that copies it. */
export function CodeBlock({ language, text }: { language: string; text: string }) {
  const growing = useContext(GrowingBlock);
  const colours = useColours(language !== '' && !growing);
  const coloured = useMemo(() => colours?.coloured(text, language) ?? text, [colours, text, language]);
  return (
    <figure class="code">
      <figcaption>
        <span>{language || 'text'}</span>
        <CopyButton text={() => text} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling elements must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{coloured}</code>
      </pre>
    </figure>
  );
}

/** Maximum number of formulas that are drawn at the same time; a browser needs milliseconds for each. */
const MAX_DRAWN = 1_000;
let drawn = 0;

/** Shows a formula, or its source until it can be drawn. */
export function Formula({ source }: { source: string }) {
  const [isDrawn] = useState(() => ++drawn <= MAX_DRAWN);
  useEffect(() => () => void drawn--, []);
  const formulas = useFormulas(isDrawn);
  const formula = useMemo(() => formulas?.formula(source), [formulas, source]);
  if (formula === undefined) return <code class="formula-source">{source}</code>;
  if (!formulas?.isDisplayed(source)) return <span class="formula">{formula}</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling elements must be reachable by keyboard
    <span class="formula displayed" tabIndex={0}>
      {formula}
    </span>
  );
}
