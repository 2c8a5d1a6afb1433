import { useState } from 'preact/hooks';
import { safeDestination } from '../../../../src/kit/ladder.ts';
import type { FileView, MediaView } from '../../wire.ts';
import { fileAddress } from '../net/api.ts';
import { sizeOf } from '../state/time.ts';
import { OutLink } from './controls.tsx';
import { Icon } from './icons.tsx';
import { isSameOrigin } from './render-context.ts';

/** Shows the reply's files, and its images that the text does not show already. */
export function Gallery({ media, text }: { media: readonly MediaView[]; text: string }) {
  const apart = media.filter((one) => one.kind === 'file' || !one.inline || !text.includes(one.inline));
  if (apart.length === 0) return null;
  return (
    <ul class="gallery">
      {apart.map((one) => (
        <li key={one.id}>
          {one.kind === 'image' && isSameOrigin(one.address) ? (
            <Picture address={one.address} name={one.name} />
          ) : (
            <NamedFile name={one.name} kind={one.kind} link={one.link} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shows an image from this server. A click opens it in a new tab. If loading fails, shows its name. */
export function Picture({ address, name }: { address: string; name: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <NamedFile name={name} kind="image" link={undefined} />;
  return (
    <a class="picture" href={address} target="_blank" rel="noreferrer noopener" title={`Open ${name}`}>
      <img src={address} alt={name} loading="lazy" decoding="async" onError={() => setBroken(true)} />
    </a>
  );
}

function NamedFile({ name, kind, link }: { name: string; kind: 'image' | 'file'; link: string | undefined }) {
  const url = link ? safeDestination(link) : undefined;
  const words = <FileWords icon={kind} name={name} note={url?.host ?? 'cannot be opened here'} />;
  if (!url) return <span class="file-card">{words}</span>;
  return (
    <OutLink to={url} class="file-card">
      {words}
    </OutLink>
  );
}

function FileWords({ icon, name, note }: { icon: 'image' | 'file'; name: string; note: string }) {
  return (
    <>
      <Icon name={icon} />
      <span class="file-name">{name}</span>
      <span class="quiet">{note}</span>
    </>
  );
}

/** Shows the files that a person attached to a message. */
export function Attachments({ files }: { files: readonly FileView[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="gallery">
      {files.map((file) => (
        <li key={file.id}>
          {file.image ? (
            <Picture address={fileAddress(file.id)} name={file.name} />
          ) : (
            <a class="file-card" href={fileAddress(file.id)} download={file.name}>
              <FileWords icon="file" name={file.name} note={sizeOf(file.bytes)} />
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
