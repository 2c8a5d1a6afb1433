import { useState } from 'preact/hooks';
import { safeDestination } from '../../../../src/kit.ts';
import type { FileView, MediaView } from '../../wire.ts';
import { fileAddress } from '../net/api.ts';
import { sizeOf } from '../state/time.ts';
import { OutLink } from './controls.tsx';
import { Icon } from './icons.tsx';
import { isOurs } from './look.ts';

/** Images and files of a reply that its text does not show itself. */
export function Gallery({ media, text }: { media: readonly MediaView[]; text: string }) {
  const apart = media.filter((one) => one.kind === 'file' || !one.inline || !text.includes(one.inline));
  if (apart.length === 0) return null;
  return (
    <ul class="gallery">
      {apart.map((one) => (
        <li key={one.id}>
          {one.kind === 'image' && isOurs(one.address) ? (
            <Picture address={one.address} name={one.name} />
          ) : (
            <NamedFile name={one.name} kind={one.kind} link={one.link} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** An image from this server that opens large; one that cannot be read gives its name. */
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
  const inner = (
    <>
      <Icon name={kind === 'image' ? 'image' : 'file'} />
      <span class="file-name">{name}</span>
      <span class="quiet">{url ? url.host : 'cannot be opened here'}</span>
    </>
  );
  if (!url) return <span class="file-card">{inner}</span>;
  return (
    <OutLink to={url} class="file-card">
      {inner}
    </OutLink>
  );
}

/** Files that a person attached. */
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
              <Icon name="file" />
              <span class="file-name">{file.name}</span>
              <span class="quiet">{sizeOf(file.bytes)}</span>
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
