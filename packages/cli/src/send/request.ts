import { extname } from 'node:path';
import { SendonceError } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import { parseChoice } from '../flags/parse-values.ts';
import { nearest } from '../nearest.ts';
import { jsonProblem } from '../recipients/json-problem.ts';
import { RECIPIENT_FILES } from '../recipients/read-recipients.ts';
import type { SendFlags } from './flags.ts';

export const DATA_FORMATS = ['ndjson', 'csv'] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

/** What stands for stdin. */
export const STDIN = '-';

/** What is to be published. */
export type Source =
  | { readonly kind: 'one'; readonly data: unknown }
  | { readonly kind: 'rows'; readonly file: string; readonly format: DataFormat };

export interface SendRequest {
  readonly source: Source;
  readonly key: string | null;
  readonly keyColumn: string | null;
  readonly tenant: string | null;
  readonly recipientsFile: string | null;
}

/** @throws SendonceError FLAG_INVALID */
export function parseSend(flags: SendFlags): SendRequest {
  const { key = null, 'key-column': keyColumn = null, tenant = null, 'recipients-file': recipientsFile = null } = flags;
  const source = sourceOf(flags);
  for (const name of ['key', 'key-column', 'tenant'] as const)
    if (flags[name]?.trim() === '') throw flagError(name, flags[name], 'a text');
  if (source.kind === 'rows' && key !== null)
    throw flagError('key', key, 'one notification (--data-json): rows name theirs in a field (--key-column)');
  if (source.kind === 'one' && keyColumn !== null)
    throw flagError('key-column', keyColumn, 'rows (--data): one notification is named by --key');
  return { source, key, keyColumn, tenant, recipientsFile };
}

function sourceOf({ data, 'data-json': json, format, 'recipients-file': people }: SendFlags): Source {
  if (data !== undefined && json !== undefined)
    throw new SendonceError('FLAG_INVALID', '--data and --data-json contradict each other: rows of a file, or one');
  if (format !== undefined && data !== STDIN)
    throw flagError('format', format, 'nothing here: it is for --data -; the name of a file says what it is');
  if (data !== undefined) return { kind: 'rows', file: data, format: formatOf(data, format) };
  if (json !== undefined) return { kind: 'one', data: parseJson(json) };
  // With people to tell, a message may need no data at all.
  if (people !== undefined) return { kind: 'one', data: {} };
  throw new SendonceError(
    'FLAG_INVALID',
    'nothing to send: give rows (--data orders.csv, or --data - for stdin) or one notification (--data-json \'{"id":17}\')',
  );
}

function formatOf(file: string, given: string | undefined): DataFormat {
  if (file === STDIN) return given === undefined ? 'ndjson' : parseChoice('format', given, DATA_FORMATS);
  const kind = extname(file).toLowerCase();
  if (!(RECIPIENT_FILES as readonly string[]).includes(kind))
    throw flagError(
      'data',
      file,
      `a name that ends in one of ${RECIPIENT_FILES.join(', ')}, or - for stdin`,
      nearest(kind, RECIPIENT_FILES),
    );
  return kind === '.csv' ? 'csv' : 'ndjson';
}

function parseJson(json: string): unknown {
  let data: unknown;
  try {
    data = JSON.parse(json) as unknown;
  } catch (error) {
    throw flagError('data-json', json, `JSON, such as '{"id":17}' (${(error as Error).message})`);
  }
  const problem = jsonProblem(json);
  if (problem === null) return data;
  throw new SendonceError('FLAG_INVALID', `--data-json ${problem}`);
}
