/** Attachments of a message with pasted and attached files: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4 */

import { downloadUrl } from '../files/files.ts';
import { type Server, serviceUrlOf } from '../parts.ts';
import type { SharedFile, Tenant } from '../shapes.ts';
import { escaped, type Marked } from './html.ts';

/** The type of a pasted image is always `image/*`. */
export function pastedPicture(server: Server, tenant: Tenant, file: SharedFile): Marked {
  const contentUrl = `${serviceUrlOf(server, tenant.id)}v3/attachments/${file.id}/views/original`;
  return {
    attachment: { contentType: 'image/*', contentUrl },
    mark: `<p><img alt="image" src="${escaped(contentUrl)}" width="250" height="250"></p>`,
  };
}

export function attachedFile(server: Server, tenant: Tenant, file: SharedFile): Marked {
  const fileType = file.name.includes('.') ? file.name.slice(file.name.lastIndexOf('.') + 1) : '';
  return {
    attachment: {
      contentType: 'application/vnd.microsoft.teams.file.download.info',
      contentUrl: `${server.filesUrl}/personal/${tenant.id}/Documents/${encodeURIComponent(file.name)}`,
      name: file.name,
      content: { downloadUrl: downloadUrl(server, tenant, file), uniqueId: file.id, fileType, etag: '1' },
    },
    mark: `<attachment id="${file.id}"></attachment>`,
  };
}
