import type { AnyOperation } from '../operation.ts';
import { clientToken, loginWithClient, loginWithIdp } from './auth.ts';
import { createBot } from './bots.ts';
import { askExpert, chatByKey, chatByToken } from './chat.ts';
import { createClient, listClients } from './clients.ts';
import {
  batchStatus,
  deleteFile,
  editFileMetadata,
  fileChunks,
  fileMarkdown,
  listFiles,
  uploadFile,
  uploadFiles,
} from './files.ts';
import { uploadImages, uploadImagesLegacy } from './images.ts';
import { createAssistant, createLiteUser, getAssistant, liteUploadFiles, liteUser } from './lite.ts';
import { fileDetail, previewFile, temporaryFile, temporaryLinks } from './media.ts';
import {
  createOrg,
  deleteOrgs,
  linkOrgUsers,
  orgTree,
  orgUserPages,
  pageOrgUsers,
  unlinkOrgUsers,
  updateOrg,
} from './orgs.ts';
import { references } from './references.ts';
import { retrieve } from './retrieval.ts';
import { myRoles, setUserRoles, userRoles } from './roles.ts';
import { createType, deleteTypes, enableTypes, getType, typeDropdown, updateType } from './types.ts';
import {
  createUsers,
  deleteUsers,
  disableUser,
  enableUser,
  getUser,
  me,
  pageUsers,
  switchUsers,
  updateUser,
} from './users.ts';
import {
  createQna,
  createWorkspace,
  deleteWorkspaces,
  listWorkspaces,
  updateWorkspace,
} from './workspaces.ts';

/** Every operation by its id, in the order of the platform's documentation. */
export const api = {
  chatByKey,
  chatByToken,
  uploadImages,
  uploadImagesLegacy,
  createClient,
  listClients,
  clientToken,
  temporaryLinks,
  temporaryFile,
  fileDetail,
  previewFile,
  liteUser,
  createLiteUser,
  createAssistant,
  getAssistant,
  liteUploadFiles,
  loginWithIdp,
  loginWithClient,
  askExpert,
  references,
  createBot,
  uploadFile,
  uploadFiles,
  batchStatus,
  listFiles,
  fileChunks,
  fileMarkdown,
  deleteFile,
  editFileMetadata,
  createQna,
  retrieve,
  listWorkspaces,
  createWorkspace,
  updateWorkspace,
  deleteWorkspaces,
  createType,
  updateType,
  deleteTypes,
  getType,
  enableTypes,
  typeDropdown,
  createUsers,
  updateUser,
  deleteUsers,
  enableUser,
  disableUser,
  switchUsers,
  pageUsers,
  getUser,
  me,
  myRoles,
  userRoles,
  setUserRoles,
  createOrg,
  updateOrg,
  deleteOrgs,
  orgTree,
  pageOrgUsers,
  linkOrgUsers,
  unlinkOrgUsers,
  orgUserPages,
} as const;

export const operations: readonly AnyOperation[] = Object.values(api);
