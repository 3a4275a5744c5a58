import { isFields, shown } from '@sendonce/core/internal';
import { invalid } from '../../options.ts';
import { fieldsIn, numberIn } from '../checks.ts';
import type { Inbox, InboxOwner, InboxQuery, MarkRequest, SeenRequest } from '../inbox.ts';

/** The largest body of a request, bytes. */
const MOST_BODY_BYTES = 65_536;

type Answer = (inbox: Inbox, owner: InboxOwner, request: Request) => Promise<unknown>;

/** By path below the inbox's own, then by method. `live` is apart: its answer is a stream. */
export const ROUTES: Readonly<Record<string, Readonly<Partial<Record<'GET' | 'POST', Answer>>>>> = {
  '': { GET: (inbox, owner, request) => inbox.list({ ...pageIn(request), ...owner }) },
  unread: {
    GET: (inbox, owner) => inbox.unread(owner),
    POST: async (inbox, owner, request) => inbox.markUnread(marksIn(await bodyIn(request), owner)),
  },
  read: {
    POST: async (inbox, owner, request) => {
      const body = await bodyIn(request);
      return inbox.markRead(
        'upTo' in body ? { ...(onlyIn(body, 'upTo') as { upTo: string }), ...owner } : marksIn(body, owner),
      );
    },
  },
  archive: { POST: async (inbox, owner, request) => inbox.archive(marksIn(await bodyIn(request), owner)) },
  unarchive: { POST: async (inbox, owner, request) => inbox.unarchive(marksIn(await bodyIn(request), owner)) },
};

/** The body is too long to be read. */
export class TooLong extends Error {}

function pageIn({ url }: Request): Omit<InboxQuery, 'recipientId'> {
  const given = Object.fromEntries(new URL(url).searchParams);
  const { cursor, limit, state, ...others } = given;
  for (const name of Object.keys(others)) invalid(`list: ${name} is not a parameter; known: cursor, limit, state`);
  return {
    ...(cursor !== undefined && { cursor }),
    ...(limit !== undefined && { limit: numberIn('list: limit', Number(limit), [1, 100]) }),
    ...(state !== undefined && { state: state as NonNullable<InboxQuery['state']> }),
  };
}

/** Whose they are is never the caller's to say. */
function marksIn(body: Readonly<Record<string, unknown>>, owner: InboxOwner): MarkRequest {
  return { ...(onlyIn(body, 'ids') as Pick<MarkRequest, 'ids'>), ...owner };
}

function onlyIn(body: Readonly<Record<string, unknown>>, field: keyof MarkRequest | keyof SeenRequest): object {
  for (const name of Object.keys(body))
    if (name !== field) invalid(`the body takes '${field}' alone, got ${shown(name)}`);
  return { [field]: body[field] };
}

async function bodyIn(request: Request): Promise<Readonly<Record<string, unknown>>> {
  let bytes = 0;
  const parts: Uint8Array[] = [];
  for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength;
    if (bytes > MOST_BODY_BYTES) throw new TooLong(`the body has more than ${MOST_BODY_BYTES} bytes`);
    parts.push(part);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(parts).toString());
  } catch {
    invalid('the body is not JSON');
  }
  return isFields(body) ? body : fieldsIn('the body', body);
}
