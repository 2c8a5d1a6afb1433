import type { SourceView } from '../../wire.ts';
import { Icon } from './icons.tsx';
import type { MarkdownInline } from './interim.ts';
import { isOurs, type Look, safeLink } from './look.ts';
import { Picture } from './media.tsx';
import { openSource } from './source-list.tsx';

/** What stands inside a line. Whatever is not plainly safe is shown as text. */
export function Inlines({ inlines, look }: { inlines: readonly MarkdownInline[]; look: Look }) {
  return inlines.map((inline, index) => <InlineView key={index} inline={inline} look={look} />);
}

function InlineView({ inline, look }: { inline: MarkdownInline; look: Look }) {
  switch (inline.kind) {
    case 'text':
      return <Cited text={inline.text} look={look} />;
    case 'strong':
      return (
        <strong>
          <Inlines inlines={inline.children} look={look} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines inlines={inline.children} look={look} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Inlines inlines={inline.children} look={look} />
        </s>
      );
    case 'code':
      return <code>{inline.text}</code>;
    case 'break':
      return inline.hard ? <br /> : ' ';
    case 'image':
      return <ImageView destination={inline.destination} alt={inline.alt} look={look} />;
    case 'link':
      return <LinkView link={inline} look={look} />;
  }
}

const MARK = /(\[\d{1,3}\])/;

/** Marks such as [2] become chips once the source they stand for is known. */
function Cited({ text, look }: { text: string; look: Look }) {
  if (!text.includes('[')) return text;
  return text.split(MARK).map((piece, index) => {
    const source = MARK.test(piece) ? look.cited(Number(piece.slice(1, -1))) : undefined;
    return source ? <Chip key={index} source={source} turn={look.turn} /> : piece;
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

interface ImageProps {
  readonly destination: string;
  readonly alt: string;
  readonly look: Look;
}

/** Only pictures that this server holds for the reply are loaded; any other is its words and where it lies. */
function ImageView({ destination, alt, look }: ImageProps) {
  const picture = look.picture(destination);
  if (picture && isOurs(picture.address))
    return <Picture address={picture.address} name={alt || picture.name} />;
  const url = safeLink(destination);
  return (
    <span class="image-text" title="This image is not shown: it is not one of the answer's own.">
      <Icon name="image" size={14} /> {alt || 'image'}
      {url?.host && <span class="true-host">{url.host}</span>}
    </span>
  );
}

function LinkView({ link, look }: { link: Extract<MarkdownInline, { kind: 'link' }>; look: Look }) {
  const url = safeLink(link.destination);
  const label = <Inlines inlines={link.children} look={look} />;
  if (!url) return <span class="dead-link">{label}</span>;
  const where = url.protocol === 'mailto:' ? url.pathname : url.host;
  return (
    <>
      <a href={url.href} target="_blank" rel="noreferrer noopener nofollow" title={where}>
        {label}
      </a>
      {pretends(wordsOf(link.children), where) && <span class="true-host">{where}</span>}
    </>
  );
}

const ADDRESS = /(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^\s/@]+@)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})/giu;

/** Whether a label shows an address other than where it leads. */
function pretends(label: string, where: string): boolean {
  const shown = [...label.matchAll(ADDRESS)].map((match) => match[1]?.toLowerCase() ?? '');
  return shown.some(
    (host) => host !== bare(where) && host !== `www.${bare(where)}` && bare(host) !== bare(where),
  );
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^.*@/, '')
    .replace(/:\d+$/, '')
    .replace(/^www\./, '');
}

function wordsOf(inlines: readonly MarkdownInline[]): string {
  return inlines
    .map((one) =>
      'children' in one
        ? wordsOf(one.children)
        : 'text' in one
          ? one.text
          : one.kind === 'image'
            ? one.alt
            : ' ',
    )
    .join('');
}
