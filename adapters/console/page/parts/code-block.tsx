import { CopyButton } from './reply-actions.tsx';

/** Code as it is, scrolling sideways, with its language and a copy button. */
export function CodeBlock({ language, text }: { language: string; text: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{language.split(/\s/)[0] || 'text'}</span>
        <CopyButton text={() => text} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
