import type { AnyOperation } from '../operation.ts';
import { clientToken, loginWithClient, loginWithIdp } from './auth.ts';
import { chatByKey, chatByToken } from './chat.ts';
import { askExpert } from './experts.ts';
import { uploadImages, uploadImagesLegacy } from './images.ts';
import { fileDetail, previewFile, temporaryFile, temporaryLinks } from './media.ts';
import { references } from './references.ts';

/** Every operation described so far, in the contract's order. */
export const operations: readonly AnyOperation[] = [
  chatByKey,
  chatByToken,
  uploadImages,
  uploadImagesLegacy,
  clientToken,
  temporaryLinks,
  temporaryFile,
  fileDetail,
  previewFile,
  loginWithIdp,
  loginWithClient,
  askExpert,
  references,
];
