import { flagError } from '../../flags/flag-error.ts';

/** Where a list goes on: the ledger's own cursor of a page, and the last delivery of it that was shown. */
export interface ListCursor {
  readonly page: string | null;
  readonly after: string;
}

export function cursorText({ page, after }: ListCursor): string {
  return `${after}~${page ?? ''}`;
}

/** @throws SendonceError FLAG_INVALID */
export function parseCursor(given: string): ListCursor {
  const [, after, page] = /^(d_[\w-]+)~(.*)$/.exec(given.trim()) ?? [];
  if (after === undefined || page === undefined)
    throw flagError('cursor', given, 'what the list before said to go on with');
  return { page: page === '' ? null : page, after };
}
