import type { SandboxAccount } from '../fixtures.ts';

/** Whether the account may use the knowledge workspace (platform contract AUT-17). */
export const mayUse = ({ role, workspaces }: SandboxAccount, workspace: string): boolean =>
  role === 'admin' || workspaces.includes(workspace);
