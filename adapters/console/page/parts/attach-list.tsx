import type { FileView } from '../../wire.ts';
import { fileAddress } from '../net/api.ts';
import { sizeOf } from '../state/time.ts';
import { Icon } from './icons.tsx';
import type { Upload } from './use-uploads.ts';

interface AttachListProps {
  readonly files: readonly FileView[];
  readonly uploads: readonly Upload[];
  readonly onDrop: (id: string) => void;
}

/** The files of a draft, with what is still on its way. */
export function AttachList({ files, uploads, onDrop }: AttachListProps) {
  if (files.length + uploads.length === 0) return null;
  return (
    <ul class="attach-list" aria-label="Attached files">
      {files.map((file) => (
        <li key={file.id} class="attached">
          {file.image ? <img src={fileAddress(file.id)} alt="" /> : <Icon name="file" />}
          <span class="attached-name">
            {file.name}
            <span class="quiet">{sizeOf(file.bytes)}</span>
          </span>
          <Remove name={file.name} onPress={() => onDrop(file.id)} />
        </li>
      ))}
      {uploads.map((upload) => (
        <li key={upload.id} class={`attached ${upload.failure ? 'failed' : 'busy'}`}>
          {upload.failure ? <Icon name="warn" /> : <span class="spinner" aria-hidden="true" />}
          <span class="attached-name">
            {upload.name}
            <span class="quiet" role="status">
              {upload.failure ?? 'Uploading'}
            </span>
          </span>
          <Remove name={upload.name} onPress={upload.cancel} />
        </li>
      ))}
    </ul>
  );
}

function Remove({ name, onPress }: { name: string; onPress: () => void }) {
  return (
    <button type="button" class="remove" aria-label={`Remove ${name}`} onClick={onPress}>
      <Icon name="close" size={13} />
    </button>
  );
}
