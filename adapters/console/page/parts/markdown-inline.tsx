import type { TargetedMouseEvent } from 'preact';
import {
  type Inline,
  imageWords,
  labelMisleads,
  plainInline,
  safeDestination,
} from '../../../../src/kit/ladder.ts';
import type { SourceView } from '../../wire.ts';
import { Formula } from './code.tsx';
import { OutLink } from './controls.tsx';
import { Icon } from './icons.tsx';
import { Picture } from './media.tsx';
import { isSameOrigin, type RenderContext } from './render-context.ts';
import { openSource } from './source-list.tsx';

/** Shows inline content. Shows as text whatever is not clearly safe, such as unknown links. */
export function Inlines({ inlines, context }: { inlines: readonly Inline[]; context: RenderContext }) {
  return inlines.map((inline, index) => <InlineView key={index} inline={inline} context={context} />);
}

const tags = { strong: 'strong', emphasis: 'em', strike: 's' } as const;

function InlineView({ inline, context }: { inline: Inline; context: RenderContext }) {
  switch (inline.kind) {
    case 'text':
      return context.mentions ? (
        <Mentioning text={inline.text} mentions={context.mentions} />
      ) : (
        <Cited text={inline.text} context={context} />
      );
    case 'strong':
    case 'emphasis':
    case 'strike': {
      const Mark = tags[inline.kind];
      return (
        <Mark>
          <Inlines inlines={inline.children} context={context} />
        </Mark>
      );
    }
    case 'code':
      return inline.formula ? <Formula source={inline.text} /> : <code>{inline.text}</code>;
    case 'break':
      return inline.hard || context.mentions ? <br /> : ' ';
    case 'image':
      return <ImageView image={inline} context={context} />;
    case 'link':
      return <LinkView link={inline} context={context} />;
  }
}

const MENTION = /(@[\p{L}\p{N}_.-]+)/u;

function Mentioning({ text, mentions }: { text: string; mentions: ReadonlySet<string> }) {
  return text.split(MENTION).map((piece, index) =>
    mentions.has(piece.toLowerCase()) ? (
      <span key={index} class="mention">
        {piece}
      </span>
    ) : (
      piece
    ),
  );
}

const MARK = /(\[\d{1,3}\]|\[\^[\w-]{1,40}\])/;

/** Shows references such as [2] and [^note] as chips, if their source or footnote is known. */
function Cited({ text, context }: { text: string; context: RenderContext }) {
  if (!text.includes('[')) return text;
  return text.split(MARK).map((piece, index) => {
    if (!MARK.test(piece)) return piece;
    const label = piece.slice(2, -1);
    if (piece[1] === '^' && context.notes?.has(label)) return <NoteMark key={index} label={label} />;
    const source = context.cited(Number(piece.slice(1, -1)));
    return source ? <Chip key={index} source={source} turn={context.turn} /> : piece;
  });
}

function Chip({ source, turn }: { source: SourceView; turn: string }) {
  return (
    <button
      type="button"
      class="chip"
      title={source.title}
      aria-label={`Source ${source.number}: ${source.title}`}
      onClick={() => openSource(turn, source.key)}
    >
      {source.number}
    </button>
  );
}

/** A footnote's mark. A press moves the focus to the footnote, and so scrolls to it. */
function NoteMark({ label }: { label: string }) {
  const open = ({ currentTarget }: TargetedMouseEvent<HTMLElement>) => {
    const note = currentTarget.closest('.markdown')?.querySelector(`[data-note="${label}"]`);
    if (note instanceof HTMLElement) note.focus();
  };
  return (
    <sup>
      <button type="button" class="note-mark" aria-label={`Footnote ${label}`} onClick={open}>
        {label}
      </button>
    </sup>
  );
}

type Of<K extends Inline['kind']> = Extract<Inline, { kind: K }>;

/**
 * Shows an image. Loads only the reply's own images, from this server; of any other image it shows the text and the
 * host.
 */
function ImageView({ image: { destination, alt }, context }: { image: Of<'image'>; context: RenderContext }) {
  const picture = context.picture(destination);
  if (picture && isSameOrigin(picture.address))
    return <Picture address={picture.address} name={imageWords(alt, destination)} />;
  const url = safeDestination(destination);
  return (
    <span class="image-text" title="This image is not shown because it is not part of the answer.">
      <Icon name="image" size={14} /> {imageWords(alt, destination)}
      {url && <span class="true-host">{url.host}</span>}
    </span>
  );
}

function LinkView({ link, context }: { link: Of<'link'>; context: RenderContext }) {
  const safe = safeDestination(link.destination);
  const label = <Inlines inlines={link.children} context={{ ...context, mentions: undefined }} />;
  if (!safe) return <span class="dead-link">{label}</span>;
  const misleads = labelMisleads(plainInline(link.children), link.destination);
  return (
    <>
      <OutLink to={safe}>{label}</OutLink>
      {misleads && <span class="true-host">{safe.host}</span>}
    </>
  );
}
