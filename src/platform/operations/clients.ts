import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { answersOne, answersPage } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import { anyText, raw, text } from '../wire/members.ts';
import { paging } from './shared.ts';

const operation = operationsOf('clients', 'admin');
const PATH = '/webapi/lite_api/v1/admin/clients';
/** The field whose name the platform's documentation writes with a space (platform contract CLT-1, INC-5). */
const trustedDomains = wired(
  z.array(z.string().min(1)).describe('Domains from which the client may be used'),
  { name: 'trusted domains', aliases: ['trusted_domains', 'trustedDomains'] },
).optional();

const created = z.object({
  clientId: text('Id of the client', { name: 'client_id', aliases: ['clientId', 'id'] }),
  clientSecret: text('Secret of the client; no other operation returns it', {
    name: 'client_secret',
    aliases: ['clientSecret', 'secret'],
    secret: true,
  }),
});

/**
 * Creates a client of the lite interface. The client's secret is returned only once (platform contract CLT-1, CLT-2,
 * DEC-21).
 */
export const createClient = operation({
  id: 'createClient',
  command: 'create',
  doc: 'Creates a client of the lite interface, and returns the secret of the client. No other operation returns the secret.',
  method: 'POST',
  path: PATH,
  request: z.strictObject({
    name: text('Name of the client'),
    description: anyText('Purpose of the client').optional(),
    trustedDomains,
  }),
  ...answersOne(created),
});

const client = z.object({
  clientId: text('Id of the client', { name: 'client_id', aliases: ['clientId', 'id'] }),
  name: anyText('Name of the client').optional(),
  description: anyText('Purpose of the client').optional(),
  trustedDomains,
  createdAt: anyText('When the client was created', {
    name: 'created_at',
    aliases: ['createdAt'],
  }).optional(),
  raw: raw(),
});

/**
 * Lists the clients. The platform's documentation shows no response, so every usual format of a list is accepted
 * (platform contract CLT-3).
 */
export const listClients = operation({
  id: 'listClients',
  command: 'list',
  doc: 'Lists the clients of the lite interface.',
  method: 'GET',
  path: PATH,
  request: z.strictObject(paging(20, { pageIndex: 'page', pageSize: 'page_size' })),
  ...answersPage(client),
});
